import { expect, test } from 'vitest';
import { ConfigError, readConfig, settings } from '../src/config.ts';

test('every setting has a default that its own rule accepts', () => {
  expect(Object.keys(readConfig({}))).toEqual(Object.keys(settings));
  expect(readConfig({})).toMatchObject({
    PORT: 8000,
    MODEL_STAGES: ['champion'],
    MODEL_STAGE: 'champion',
    MAX_QUEUE: 4096,
  });
});

test('the environment wins over a default, and an empty variable is none', () => {
  expect(readConfig({ PORT: '9000', MODEL_STAGES: 'champion, challenger,', HOST: '' })).toMatchObject({
    PORT: 9000,
    MODEL_STAGES: ['champion', 'challenger'],
    HOST: '0.0.0.0',
  });
});

test('each wrong setting is named with its value, all in one error', () => {
  const environment = {
    PORT: '70000',
    WORKER_THREADS: '0',
    MAX_BATCH_SIZE: '1.5',
    LOG_LEVEL: 'loud',
    MODEL_REFRESH_SECONDS: '-1',
  };
  expect(() => readConfig(environment)).toThrow(ConfigError);
  for (const [name, value] of Object.entries(environment)) {
    expect(() => readConfig(environment)).toThrow(`${name}=${value}: `);
  }
});

test('a default stage that is not served is wrong', () => {
  expect(() => readConfig({ MODEL_STAGE: 'Staging' })).toThrow(
    /MODEL_STAGE=Staging: not one of MODEL_STAGES/,
  );
});

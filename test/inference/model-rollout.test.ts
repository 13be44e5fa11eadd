import { describe, expect, onTestFinished, test } from 'vitest';
import type { Failure } from '../../src/inference/job.ts';
import { ModelRollout } from '../../src/inference/model-rollout.ts';
import type { DeployableModel } from '../../src/inference/pool.ts';
import type { ModelShape, Reply } from '../../src/inference/thread.ts';
import type { ModelVersion } from '../../src/models/model-registry.ts';

/** A registry, a trial and a pool that do what the test says, and a rollout over them. */
function setUp() {
  const state = {
    registered: undefined as ModelVersion | undefined,
    registryFault: undefined as string | undefined,
    trialAnswer: { ok: true, value: { columns: ['a'], width: 1, digest: 'd' } } as Reply<ModelShape>,
    deployAnswer: undefined as Failure | undefined,
    trials: 0,
    deployed: [] as DeployableModel[],
    refusals: [] as string[],
    lines: [] as string[],
  };
  const rollout = new ModelRollout({
    stage: 'champion',
    refreshSeconds: 0,
    registry: {
      resolve: async () => {
        if (state.registryFault !== undefined) throw new Error(state.registryFault);
        return state.registered;
      },
      fetch: async ({ source }) => source,
      describe: async () => ({ metrics: {}, params: {} }),
    },
    trial: async () => {
      state.trials++;
      return state.trialAnswer;
    },
    server: {
      serves: (_, key) => state.deployed.at(-1)?.key === key,
      deploy: async (_, model) => {
        if (state.deployAnswer === undefined) state.deployed.push(model);
        return state.deployAnswer;
      },
      refuse: (_, { message }) => state.refusals.push(message),
    },
    logger: {
      info: (_: unknown, text: string) => state.lines.push(`info ${text}`),
      error: ({ fault }: { fault: string }) => state.lines.push(`error ${fault}`),
    } as never,
  });
  onTestFinished(() => rollout[Symbol.asyncDispose]());
  return { state, rollout };
}

const version = (number: string, stamp = '1'): ModelVersion => ({
  modelName: 'm',
  version: number,
  runId: `run-${number}`,
  createdAt: undefined,
  source: `/models/${number}`,
  stamp,
});
const refused: Reply<ModelShape> = { ok: false, code: 'MODEL_REFUSED', message: 'two classes' };

describe('a rollout', () => {
  test('tries a version, deploys it with what the trial read, and does neither twice', async () => {
    const { state, rollout } = setUp();
    state.registered = version('1');
    await rollout.look();
    await rollout.look();
    expect(state.trials).toBe(1);
    expect(state.deployed).toEqual([
      expect.objectContaining({ folder: '/models/1', runId: 'run-1', digest: 'd' }),
    ]);
    expect(rollout.state).toEqual({ serving: version('1'), fault: undefined });
    expect(state.lines).toEqual(['info model serving']);
  });

  test('lets predictions fail with the cause as long as there is no model at all', async () => {
    const { state, rollout } = setUp();
    await rollout.look();
    await rollout.look();
    expect(state.refusals.at(-1)).toMatch(/No version of the model is registered for 'champion'/);
    expect(state.lines).toHaveLength(1);
    state.registered = version('1');
    await rollout.look();
    expect(rollout.state.serving).toEqual(version('1'));
  });

  test('does not try a refused version again until its files or the alias change', async () => {
    const { state, rollout } = setUp();
    state.registered = version('1');
    state.trialAnswer = refused;
    await rollout.look();
    await rollout.look();
    expect([state.trials, rollout.state.fault]).toEqual([1, 'Version 1: two classes']);
    state.registered = version('1', 'mended');
    await rollout.look();
    expect(state.trials).toBe(2);
  });

  test('keeps the version that serves when a newer one is refused or cannot be deployed, and tells it once', async () => {
    const { state, rollout } = setUp();
    state.registered = version('1');
    await rollout.look();
    state.registered = version('2');
    state.deployAnswer = { ok: false, code: 'MODEL_UNAVAILABLE', message: 'changed' };
    await rollout.look();
    await rollout.look();
    expect(state.trials).toBe(3); // unlike a refusal, it may work next time
    expect(rollout.state).toEqual({ serving: version('1'), fault: 'Version 2: changed' });
    expect(state.refusals).toEqual([]);
    expect(state.lines).toEqual(['info model serving', 'error Version 2: changed']);
    state.deployAnswer = undefined;
    await rollout.look();
    expect(rollout.state).toEqual({ serving: version('2'), fault: undefined });
  });

  test('keeps the version that serves while the registry cannot be asked', async () => {
    const { state, rollout } = setUp();
    state.registered = version('1');
    await rollout.look();
    state.registryFault = 'registry down';
    await rollout.look();
    expect(rollout.state).toEqual({ serving: version('1'), fault: 'registry down' });
    state.registryFault = undefined;
    await rollout.look();
    expect(rollout.state.fault).toBeUndefined();
    expect(state.lines).toEqual(['info model serving', 'error registry down', 'info model serving']);
  });
});

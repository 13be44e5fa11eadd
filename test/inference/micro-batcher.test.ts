import { expect, test } from 'vitest';
import { MicroBatcher } from '../../src/inference/micro-batcher.ts';

const run = (id: number, wanted = true) => ({ id, wanted });
const all = () => true;

test('everything that waits for a stage is one batch, in the order of arrival', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(64);
  for (const id of [1, 2, 3]) batcher.add('champion', run(id));
  expect(batcher.take(all)).toEqual({ stage: 'champion', runs: [run(1), run(2), run(3)] });
  expect(batcher.take(all)).toBeUndefined();
});

test('a batch is never larger than the limit, and the rest comes next', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(2);
  for (const id of [1, 2, 3]) batcher.add('champion', run(id));
  expect(batcher.take(all)?.runs.map(({ id }) => id)).toEqual([1, 2]);
  expect(batcher.take(all)?.runs.map(({ id }) => id)).toEqual([3]);
});

test('stages never share a batch, and the one that waited longest goes first', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(64);
  batcher.add('challenger', run(1));
  batcher.add('champion', run(2));
  batcher.add('challenger', run(3));
  expect(batcher.take(all)).toEqual({ stage: 'challenger', runs: [run(1), run(3)] });
  batcher.add('challenger', run(4));
  expect(batcher.take(all)?.stage).toBe('champion');
});

test('a stage that cannot run waits without holding up the others', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(64);
  batcher.add('challenger', run(1));
  batcher.add('champion', run(2));
  expect(batcher.take((stage) => stage === 'champion')?.runs).toEqual([run(2)]);
  expect(batcher.take((stage) => stage === 'champion')).toBeUndefined();
  expect(batcher.take(all)?.runs).toEqual([run(1)]);
});

test('runs that nobody wants any more are dropped, a batch of nothing else too', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(2);
  for (const [id, wanted] of [
    [1, false],
    [2, false],
    [3, true],
    [4, false],
  ] as const) {
    batcher.add('champion', run(id, wanted));
  }
  expect(batcher.take(all)?.runs).toEqual([run(3)]);
  expect(batcher.take(all)).toBeUndefined();
});

test('unwanted runs do not pile up while no thread takes anything', () => {
  let asked = 0;
  const givenUp = {
    id: 0,
    get wanted() {
      asked++;
      return false;
    },
  };
  const batcher = new MicroBatcher<ReturnType<typeof run>>(1_000_000);
  for (let added = 0; added < 10_000; added++) batcher.add('champion', givenUp);
  asked = 0;
  batcher.take(all);
  expect(asked).toBeLessThan(1024);
});

test('what waits for a stage can be taken out at once', () => {
  const batcher = new MicroBatcher<ReturnType<typeof run>>(64);
  batcher.add('champion', run(1));
  batcher.add('champion', run(2, false));
  batcher.add('challenger', run(3));
  expect(batcher.takeAll('champion')).toEqual([run(1)]);
  expect(batcher.takeAll('champion')).toEqual([]);
  expect(batcher.take(all)?.stage).toBe('challenger');
});

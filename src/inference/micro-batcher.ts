import type { JobRun } from './job-runner.ts';

/** Runs of one stage that share a message and a model run. */
export interface Batch<Run> {
  readonly stage: string;
  readonly runs: readonly Run[];
}

/**
 * Holds the predictions that wait for a thread and hands them out as batches. A message to a thread costs about
 * 110 µs whether it carries one row or 32, so everything that waits for a stage goes as one.
 */
export class MicroBatcher<Run extends Pick<JobRun, 'wanted'>> {
  readonly #maxBatchSize: number;
  /** Stage → its waiting runs, oldest first; never an empty list. */
  readonly #lanes = new Map<string, Waiting<Run>[]>();
  #arrivals = 0;

  /** @param maxBatchSize most rows of a batch, at least 1 */
  constructor(maxBatchSize: number) {
    this.#maxBatchSize = maxBatchSize;
  }

  /** Runs that wait, of all stages. */
  get waiting(): number {
    let waiting = 0;
    for (const lane of this.#lanes.values()) waiting += lane.length;
    return waiting;
  }

  add(stage: string, run: Run): void {
    const waiting = { run, arrival: this.#arrivals++ };
    const lane = this.#lanes.get(stage);
    if (lane === undefined) this.#lanes.set(stage, [waiting]);
    else if (lane.push(waiting) % SWEEP_EVERY === 0) this.#lanes.set(stage, lane.filter(isWanted));
  }

  /**
   * Takes the next batch: of the stages that `canRun` admits, the one whose first run has waited longest. Runs that
   * nobody waits for any more are dropped on the way.
   * @returns undefined when there is nothing to run
   */
  take(canRun: (stage: string) => boolean): Batch<Run> | undefined {
    for (;;) {
      let oldest: { stage: string; lane: Waiting<Run>[] } | undefined;
      for (const [stage, lane] of this.#lanes) {
        if (!canRun(stage)) continue;
        if (oldest === undefined || lane[0]!.arrival < oldest.lane[0]!.arrival) oldest = { stage, lane };
      }
      if (oldest === undefined) return undefined;
      const taken = oldest.lane.splice(0, this.#maxBatchSize);
      if (oldest.lane.length === 0) this.#lanes.delete(oldest.stage);
      const runs = taken.filter(isWanted).map(({ run }) => run);
      if (runs.length > 0) return { stage: oldest.stage, runs };
    }
  }

  /** Takes all that waits for a stage out, for a stage that cannot be served. */
  takeAll(stage: string): Run[] {
    const lane = this.#lanes.get(stage) ?? [];
    this.#lanes.delete(stage);
    return lane.filter(isWanted).map(({ run }) => run);
  }
}

/** While no thread takes anything, runs that were given up are swept out each time a lane grows past a multiple of this. */
const SWEEP_EVERY = 1024;

function isWanted({ run }: Waiting<Pick<JobRun, 'wanted'>>): boolean {
  return run.wanted;
}

interface Waiting<Run> {
  readonly run: Run;
  /** Counts up over all stages: the smaller came first. */
  readonly arrival: number;
}

import type { Failure, PredictMatchJob } from './job.ts';
import type { JobRun, JobRunner } from './job-runner.ts';
import { type Batch, MicroBatcher } from './micro-batcher.ts';
import type { BatchResult } from './onnx-model.ts';
import { predictionOfRow } from './predict-match.ts';
import { layRow } from './row-layout.ts';
import type { ModelShape, Reply, ThreadSettings } from './thread.ts';
import { WorkerThread } from './worker-thread.ts';

export interface PoolSettings {
  readonly threads: number;
  readonly maxBatchSize: number;
  /** The stages and aliases that this pool serves, and the one that stands for none. */
  readonly stages: readonly string[];
  readonly defaultStage: string;
  /** A thread that has not answered for this long counts as stuck. */
  readonly stuckAfterMs: number;
  readonly thread: ThreadSettings;
}

/** A model version that can be given to the threads. `key` names it uniquely, content included. */
export interface DeployableModel {
  readonly key: string;
  readonly folder: string;
  readonly runId: string | undefined;
  /** SHA-256 of the model file that was tried. */
  readonly digest: string;
}

/** How many threads there are, and how many of them have not answered for too long. */
export interface ThreadCounts {
  readonly total: number;
  readonly stuck: number;
}

/**
 * So many predictions are run at once even by a thread that has work already, and before the turn of the event loop is
 * over: from here on a larger batch costs no less a row (measured: 15 µs for 1 row, 3.7 µs a row from 8 to 64).
 */
const WORTH_A_RUN = 24;

/**
 * The threads and what waits for them. When a thread is free it gets, as one message with one matrix, every prediction
 * that waits for a stage (up to a limit), so that they share one run of the model.
 */
export class ThreadPool implements JobRunner {
  readonly #settings: PoolSettings;
  readonly #threads: readonly WorkerThread[];
  readonly #batcher: MicroBatcher<PredictRun>;
  #modelInfos: JobRun[] = [];
  /** Stage → what its predictions run on: a model, the fault that keeps one away, or nothing yet (they wait). */
  readonly #served = new Map<string, { readonly ok: true; readonly model: ServedModel } | Failure>();
  /** True while a dispatch is due at the end of this turn of the event loop. */
  #dispatchDue = false;
  #closed = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#batcher = new MicroBatcher(settings.maxBatchSize);
    this.#threads = Array.from({ length: settings.threads }, () => {
      const thread: WorkerThread = new WorkerThread(
        settings.thread,
        () => this.#answered(thread),
        () => this.#restore(thread),
      );
      return thread;
    });
  }

  submit(run: JobRun): void {
    if (run.job.name === 'get_model_info') {
      this.#modelInfos = this.#modelInfos.filter(({ wanted }) => wanted);
      this.#modelInfos.push(run);
    } else {
      const stage = run.job.stage ?? this.#settings.defaultStage;
      const fault = this.#faultOf(stage);
      if (fault !== undefined) {
        run.settled(fault);
        return;
      }
      this.#batcher.add(stage, run as PredictRun);
      if (this.#batcher.waiting >= WORTH_A_RUN) this.#dispatchToOpen();
    }
    this.#dispatchSoon();
  }

  get threads(): ThreadCounts {
    return {
      total: this.#threads.length,
      stuck: this.#threads.filter((thread) => this.#isStuck(thread)).length,
    };
  }

  /** True when every thread that answers holds the version that serves the stage, and it is this one. */
  serves(stage: string, key: string): boolean {
    const served = this.#served.get(stage);
    if (served?.ok !== true || served.model.key !== key) return false;
    return this.#threads.every((thread) => thread.has(key) || this.#isStuck(thread));
  }

  /**
   * Loads a model version on every thread that answers, then lets it take the stage's traffic; the version that it
   * replaces is released when its last batch is back and no other stage uses it.
   * @returns the first failure, with the old version still serving, or undefined
   */
  async deploy(stage: string, model: DeployableModel): Promise<Failure | undefined> {
    const answering = this.#threads.filter((thread) => !this.#isStuck(thread));
    const loads = answering.map((thread) => loadChecked(thread, model));
    const replies = await answersWithin(this.#settings.stuckAfterMs, loads);
    const failure =
      replies.find((reply) => !reply.ok) ?? (replies.length === 0 ? noThreadAnswers : undefined);
    if (failure !== undefined) {
      void this.#releaseUnused(model.key);
      return failure;
    }
    const { value: shape } = replies[0] as Reply<ModelShape> & { ok: true };
    const replaced = this.#served.get(stage);
    this.#served.set(stage, { ok: true, model: { ...shape, ...model } });
    this.#dispatchSoon(); // what waited for a first model
    if (replaced?.ok) void this.#releaseUnused(replaced.model.key);
    return undefined;
  }

  /** Lets the predictions of a stage that has no model fail with this cause instead of waiting for one. */
  refuse(stage: string, failure: Failure): void {
    this.#served.set(stage, failure);
    for (const run of this.#batcher.takeAll(stage)) run.settled(failure);
  }

  /** Waits for what runs and ends the threads. Never settles while a run does not return: bound it from outside. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** Why predictions of this stage fail without being run. */
  #faultOf(stage: string): Failure | undefined {
    if (!this.#settings.stages.includes(stage)) return unknownStage(stage, this.#settings.stages);
    const served = this.#served.get(stage);
    return served?.ok === false ? served : undefined;
  }

  #isStuck(thread: WorkerThread): boolean {
    return thread.busyMs > this.#settings.stuckAfterMs;
  }

  /** Everything that arrives in one turn of the event loop can share a batch, so the turn is let go by first. */
  #dispatchSoon(): void {
    if (this.#dispatchDue) return;
    this.#dispatchDue = true;
    setImmediate(() => {
      this.#dispatchDue = false;
      for (const thread of this.#threads) if (thread.idle) this.#dispatch(thread);
    });
  }

  #dispatchToOpen(): void {
    const thread = this.#threads.find(({ idle }) => idle) ?? this.#threads.find(({ open }) => open);
    if (thread !== undefined) this.#dispatch(thread);
  }

  #answered(thread: WorkerThread): void {
    if (thread.idle || this.#batcher.waiting >= WORTH_A_RUN) this.#dispatch(thread);
  }

  #dispatch(thread: WorkerThread): void {
    if (this.#closed) return;
    const info = this.#nextModelInfo();
    if (info !== undefined) {
      void this.#runModelInfo(thread, info);
      return;
    }
    const batch = this.#batcher.take((stage) => {
      const served = this.#served.get(stage);
      return served?.ok === true && thread.has(served.model.key);
    });
    if (batch !== undefined) void this.#runBatch(thread, batch);
  }

  #nextModelInfo(): JobRun | undefined {
    let run = this.#modelInfos.shift();
    while (run !== undefined && !run.wanted) run = this.#modelInfos.shift();
    return run;
  }

  async #runModelInfo(thread: WorkerThread, run: JobRun): Promise<void> {
    const stage = run.job.stage ?? this.#settings.defaultStage;
    run.started(stage);
    run.settled(await thread.getModelInfo(stage));
  }

  async #runBatch(thread: WorkerThread, { stage, runs }: Batch<PredictRun>): Promise<void> {
    const { model } = this.#served.get(stage) as { model: ServedModel };
    const matrix = new Float64Array(runs.length * model.width);
    const rows: PredictRun[] = [];
    for (const run of runs) {
      const fault = layRow(run.job.features, model, matrix, rows.length * model.width);
      if (fault === undefined) {
        run.started(stage);
        rows.push(run);
      } else run.settled(fault);
    }
    if (rows.length === 0) return this.#dispatchSoon();
    const reply = await thread.predict(model.key, matrix.subarray(0, rows.length * model.width), rows.length);
    settleRows(rows, reply, stage, model.runId ?? 'unknown');
  }

  async #releaseUnused(key: string): Promise<void> {
    for (const served of this.#served.values()) if (served.ok && served.model.key === key) return;
    await Promise.all(this.#threads.filter((thread) => thread.has(key)).map((thread) => thread.release(key)));
  }

  /** Gives a thread that took the place of a dead one the models that are being served. */
  async #restore(thread: WorkerThread): Promise<void> {
    for (const served of this.#served.values()) if (served.ok) await loadChecked(thread, served.model);
  }
}

type PredictRun = JobRun & { readonly job: PredictMatchJob };
type ServedModel = DeployableModel & ModelShape;

function unknownStage(stage: string, stages: readonly string[]): Failure {
  const message = `Unknown stage '${stage}': this worker serves ${stages.join(', ')} (MODEL_STAGES).`;
  return { ok: false, code: 'INVALID_INPUT', message };
}

const noThreadAnswers: Failure = {
  ok: false,
  code: 'MODEL_UNAVAILABLE',
  message: 'No worker thread answers.',
};

/** The answers that come within `limitMs`, in the order in which they come. */
async function answersWithin<Value>(limitMs: number, asked: readonly Promise<Value>[]): Promise<Value[]> {
  const answers: Value[] = [];
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([late, Promise.all(asked.map(async (answer) => answers.push(await answer)))]);
  clearTimeout(timer);
  return answers;
}

/** A thread must have read the very bytes that were tried; a folder can change in between. */
async function loadChecked(thread: WorkerThread, model: DeployableModel): Promise<Reply<ModelShape>> {
  const reply = await thread.load(model.key, model.folder);
  if (!reply.ok || reply.value.digest === model.digest) return reply;
  await thread.release(model.key);
  return {
    ok: false,
    code: 'MODEL_UNAVAILABLE',
    message: `Model ${model.key} changed while it was being loaded.`,
  };
}

function settleRows(
  rows: readonly PredictRun[],
  reply: Reply<BatchResult>,
  stage: string,
  runId: string,
): void {
  if (!reply.ok) {
    for (const run of rows) run.settled(reply);
    return;
  }
  const { probabilities, failures } = reply.value;
  for (const { row, code, message } of failures) rows[row]!.settled({ ok: false, code, message });
  const failed = new Set(failures.map(({ row }) => row));
  rows.forEach((run, row) => {
    if (!failed.has(row))
      run.settled({ ok: true, value: predictionOfRow(row, probabilities, run.job, stage, runId) });
  });
}

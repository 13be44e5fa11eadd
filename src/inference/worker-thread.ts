import { Piscina } from 'piscina';
import type { ModelInfo } from './job.ts';
import type { BatchResult } from './onnx-model.ts';
import type { ModelShape, Reply, ThreadSettings } from './thread.ts';

/** Messages that a thread holds: the one it is at and the next. More would only wait where they cannot be given up. */
const MOST_AT_ONCE = 2;

/**
 * One thread that runs models. It is a Piscina of a single thread, because a pool does not let its caller choose the
 * thread, and a new model version has to be loaded on every one of them. Piscina starts a new thread when one dies; the
 * models it held are gone then.
 *
 * A thread does one thing at a time. It must never be stopped while a model runs: that aborts the whole process
 * (SIGABRT in onnxruntime-node, 1.20 to 1.30), which is why there is no time limit here and `close` waits.
 */
export class WorkerThread {
  readonly #piscina: Piscina;
  /** Keys of the model versions that this thread has loaded. */
  readonly #loaded = new Set<string>();
  /** One promise for each message that is not answered yet; it settles, and never rejects, when it is. */
  readonly #unanswered = new Set<Promise<unknown>>();
  /** When the thread took the message it is at (ms, `performance.now`); undefined = idle. */
  #busySince: number | undefined;
  readonly #onAnswer: () => void;

  /**
   * @param onAnswer called each time the thread has answered a message
   * @param onDied called when the thread has died and another one takes its place
   */
  constructor(settings: ThreadSettings, onAnswer: () => void, onDied: () => void) {
    this.#onAnswer = onAnswer;
    this.#piscina = new Piscina({
      filename: new URL('./thread.ts', import.meta.url).href,
      workerData: settings,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Infinity,
      concurrentTasksPerWorker: MOST_AT_ONCE,
    });
    this.#piscina.on('workerDestroy', () => {
      this.#loaded.clear();
      onDied();
    });
    this.#piscina.on('error', () => {}); // a thread that died idle: workerDestroy has told it
  }

  get idle(): boolean {
    return this.#unanswered.size === 0;
  }

  /** True while the thread takes another message: it finds its next work at the door when it is done with the first. */
  get open(): boolean {
    return this.#unanswered.size < MOST_AT_ONCE;
  }

  /** Milliseconds for which the thread has been at the message it has now; 0 when it is idle. */
  get busyMs(): number {
    return this.#busySince === undefined ? 0 : performance.now() - this.#busySince;
  }

  has(key: string): boolean {
    return this.#loaded.has(key);
  }

  async load(key: string, folder: string): Promise<Reply<ModelShape>> {
    const reply = await this.#send<ModelShape>('load', { key, folder });
    if (reply.ok) this.#loaded.add(key);
    return reply;
  }

  /** @param matrix row-major, `rowCount` × the model's width; transferred, so the caller no longer has it */
  async predict(
    key: string,
    matrix: Float64Array<ArrayBuffer>,
    rowCount: number,
  ): Promise<Reply<BatchResult>> {
    const reply = await this.#send<BatchResult>('predict', { key, matrix, rowCount }, [matrix.buffer]);
    if (!reply.ok && reply.code === 'MODEL_UNAVAILABLE') this.#loaded.delete(key); // to be loaded anew
    return reply;
  }

  getModelInfo(stage: string): Promise<Reply<ModelInfo>> {
    return this.#send('getModelInfo', { stage });
  }

  /** Frees a version; what was sent for it before is run first, for a thread takes up its messages side by side. */
  async release(key: string): Promise<void> {
    this.#loaded.delete(key);
    await Promise.all(this.#unanswered);
    await this.#send('release', { key });
  }

  /** Ends the thread when all is answered; never settles while a model's run does not return. */
  async close(): Promise<void> {
    while (!this.idle) await Promise.all(this.#unanswered);
    await this.#piscina.destroy();
  }

  async #send<Value>(name: string, message: object, transferList: ArrayBuffer[] = []): Promise<Reply<Value>> {
    this.#busySince ??= performance.now();
    const answer = this.#run<Value>(name, message, transferList);
    this.#unanswered.add(answer);
    const reply = await answer;
    this.#unanswered.delete(answer);
    this.#busySince = this.idle ? undefined : performance.now();
    this.#onAnswer();
    return reply;
  }

  /** A thread that dies under a message gives a failure that may be tried again. */
  async #run<Value>(name: string, message: object, transferList: ArrayBuffer[]): Promise<Reply<Value>> {
    try {
      // Piscina's type for the list is inferred from the wrong overload of postMessage.
      return (await this.#piscina.run(message, {
        name,
        transferList: transferList as never,
      })) as Reply<Value>;
    } catch (error) {
      return {
        ok: false,
        code: 'THREAD_DIED',
        message: `The worker thread died: ${(error as Error).message}`,
      };
    }
  }
}

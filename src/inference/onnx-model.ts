import { InferenceSession, type Tensor } from 'onnxruntime-node';
import { ModelRefusedError } from '../errors.ts';
import { type InputPlan, planInputs } from '../models/input-plan.ts';
import { type ModelFolder, readModelFolder } from '../models/model-folder.ts';
import type { OnnxGraph } from '../models/onnx-graph.ts';
import { OUTCOME_NAMES, type Outcome } from '../models/outcome.ts';
import { castRows, type RowFailure } from './enforce-signature.ts';
import { warmUp } from './warm-up.ts';

/** What a batch gives: plain data, to be transferred between threads. */
export interface BatchResult {
  /** Rows × 3, in the order home win, draw, away win; NaN in the rows that failed. */
  readonly probabilities: Float64Array<ArrayBuffer>;
  /** Codes: INVALID_INPUT (the row cannot be cast), RUN_FAILED, INVALID_PROBABILITIES. */
  readonly failures: RowFailure[];
}

// One thread a session: the worker threads are the parallelism. Level 4 is "fatal": what goes wrong is thrown, and
// onnxruntime would print it as well.
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  logSeverityLevel: 4,
};
/** How far from 1 the sum of three probabilities may be. */
const SUM_TOLERANCE = 1e-3;
const LONGEST_MESSAGE = 500;

/**
 * Loads a model, checks that it is what the service needs, and warms it. The folder's files are read here and given to
 * onnxruntime as bytes: it opens no file itself.
 *
 * Runs of a model cannot be stopped from this thread; a model that never returns from its first run never returns here.
 *
 * @param folder holds model.onnx, and MLmodel if there is a signature
 * @throws ModelRefusedError when the model must not take traffic
 * @throws ModelUnavailableError when the files cannot be read
 */
export async function loadOnnxModel(folder: string): Promise<OnnxModel> {
  const { graph, signature, externalData, digest } = await readModelFolder(folder);
  const plan = planInputs(signature, graph.inputs);
  const session = await openSession(graph.model, externalData);
  const model = new OnnxModel({ session, graph, plan, digest });
  try {
    await warmUp({ model, session, graph, plan });
    return model;
  } catch (error) {
    await model.release();
    if (error instanceof ModelRefusedError) throw error;
    throw new ModelRefusedError(`the model cannot be warmed: ${oneLine(error)}`, { cause: error });
  }
}

/** A model that is loaded and ready to run. One run at a time; a run blocks its thread. */
export class OnnxModel {
  /** The columns' names in the order of a row; undefined for a model without names, whose columns are by position. */
  readonly columns: readonly string[] | undefined;
  /** Columns of a row. */
  readonly width: number;
  /** SHA-256, in hex, of all that was loaded: model, weights and signature. */
  readonly digest: string;
  readonly #session: InferenceSession;
  readonly #plan: InputPlan;
  readonly #output: string;
  /** The outcome of each of the model's columns. */
  readonly #outcomes: readonly [Outcome, Outcome, Outcome];

  constructor(loaded: { session: InferenceSession; graph: OnnxGraph; plan: InputPlan; digest: string }) {
    const { session, graph, plan, digest } = loaded;
    this.columns = plan.columns;
    this.width = plan.width;
    this.digest = digest;
    this.#session = session;
    this.#plan = plan;
    this.#output = graph.probabilities.name;
    this.#outcomes = graph.classOrder.outcomes;
  }

  /**
   * Predicts every row of a batch in one run. A row that cannot be cast is left out; if the run fails, the rows are run
   * one by one, so that a row fails for its own faults only.
   *
   * @param matrix row-major, `rowCount` × `width`, NaN for a missing value
   */
  async run(matrix: Float64Array, rowCount: number): Promise<BatchResult> {
    const result = { probabilities: new Float64Array(rowCount * 3).fill(NaN), failures: [] as RowFailure[] };
    if (matrix.length !== rowCount * this.width) {
      throw new RangeError(`a matrix of ${matrix.length} values is not ${rowCount} rows of ${this.width}`);
    }
    if (rowCount > 1 && this.#plan.rowByRow) {
      for (let row = 0; row < rowCount; row++) await this.#runAlone(matrix, row, result);
      return result;
    }
    const { feeds, rows, failures } = castRows(this.#plan, matrix, rowCount);
    result.failures.push(...failures);
    if (rows.length === 0) return result;
    try {
      const outputs = await this.#session.run(feeds, [this.#output]);
      this.#collect(outputs[this.#output], rows, result);
    } catch (error) {
      if (rowCount === 1) result.failures.push({ row: 0, code: 'RUN_FAILED', message: oneLine(error) });
      else for (const row of rows) await this.#runAlone(matrix, row, result);
    }
    return result;
  }

  /** Frees the model's memory; it cannot run any more. */
  async release(): Promise<void> {
    await this.#session.release();
  }

  async #runAlone(matrix: Float64Array, row: number, result: BatchResult): Promise<void> {
    const alone = await this.run(matrix.subarray(row * this.width, (row + 1) * this.width), 1);
    result.probabilities.set(alone.probabilities, row * 3);
    for (const failure of alone.failures) result.failures.push({ ...failure, row });
  }

  /** Puts the tensor's columns into the outcomes' order, row by row. */
  #collect(
    tensor: Tensor | undefined,
    rows: readonly number[],
    { probabilities, failures }: BatchResult,
  ): void {
    if (tensor?.dims.length !== 2 || tensor.dims[0] !== rows.length || tensor.dims[1] !== 3) {
      throw new Error(
        `the model gave ${this.#output} as [${tensor?.dims}] for ${rows.length} rows, not [${rows.length},3]`,
      );
    }
    const data = tensor.data as Float32Array | Float64Array;
    const [first, second, third] = this.#outcomes;
    rows.forEach((row, index) => {
      const a = data[index * 3]!;
      const b = data[index * 3 + 1]!;
      const c = data[index * 3 + 2]!;
      // Negated, so that NaN fails. A sum of 1.0001 is in order; a probability of 1.0001 is sent as 1.
      if (!(a >= 0 && b >= 0 && c >= 0 && Math.abs(a + b + c - 1) <= SUM_TOLERANCE)) {
        failures.push({ row, code: 'INVALID_PROBABILITIES', message: this.#explain([a, b, c]) });
        return;
      }
      probabilities[row * 3 + first] = Math.min(a, 1);
      probabilities[row * 3 + second] = Math.min(b, 1);
      probabilities[row * 3 + third] = Math.min(c, 1);
    });
  }

  #explain(values: readonly number[]): string {
    const named = values.map(
      (value, column) => `${OUTCOME_NAMES[this.#outcomes[column] as Outcome]} ${value}`,
    );
    return `the model gave ${named.join(', ')}: these are no probabilities, which are not negative and sum to 1`;
  }
}

async function openSession(
  model: Uint8Array,
  externalData: ModelFolder['externalData'],
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(model, { ...SESSION_OPTIONS, externalData });
  } catch (error) {
    throw new ModelRefusedError(`onnxruntime cannot load the model: ${oneLine(error)}`, { cause: error });
  }
}

function oneLine(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}

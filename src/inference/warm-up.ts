import type { InferenceSession } from 'onnxruntime-node';
import { ModelRefusedError } from '../errors.ts';
import type { ClassOrder } from '../models/class-order.ts';
import type { InputPlan } from '../models/input-plan.ts';
import type { OnnxGraph } from '../models/onnx-graph.ts';
import { type ClassLabel, OUTCOME_NAMES, type Outcome, outcomeOf } from '../models/outcome.ts';
import { castRows } from './enforce-signature.ts';
import type { OnnxModel } from './onnx-model.ts';

const ROWS = 32;
/** Two probabilities this close may be rounded to either label. */
const TIE = 1e-6;
/** How far a row's probabilities may depend on whether it runs alone. */
const ALONE = 1e-4;

/**
 * Runs a model as it will be run, alone and in a batch, and checks that it can be trusted: that some row gets
 * probabilities, that a row's do not depend on its neighbours, and that the model's own label is the class that the
 * service would call likeliest. Which rows are out of a model's range is not known here, so one that fails proves nothing.
 *
 * @throws ModelRefusedError
 */
export async function warmUp(loaded: {
  readonly model: OnnxModel;
  readonly session: InferenceSession;
  readonly graph: OnnxGraph;
  readonly plan: InputPlan;
}): Promise<void> {
  const { model, session, graph, plan } = loaded;
  const matrix = warmRows(model.width);
  const batch = await model.run(matrix, ROWS);
  const [failure] = batch.failures;
  if (failure && batch.failures.length === ROWS) {
    throw new ModelRefusedError(
      `the model fails for each of ${ROWS} rows that were tried: ${failure.message}`,
    );
  }
  const failed = new Set(batch.failures.map(({ row }) => row));
  for (let row = 0; row < ROWS; row++) {
    if (failed.has(row)) continue;
    const values = matrix.subarray(row * model.width, (row + 1) * model.width);
    const inBatch = batch.probabilities.subarray(row * 3, row * 3 + 3);
    const alone = await model.run(values, 1);
    const differs = (probability: number, index: number) =>
      !(Math.abs(probability - inBatch[index]!) <= ALONE);
    if (alone.probabilities.some(differs)) {
      throw new ModelRefusedError(
        `a row alone gives ${inWords(alone.probabilities)}, in a batch ${inWords(inBatch)}: its neighbours change it`,
      );
    }
    if (!graph.label) continue;
    const outputs = await session.run(castRows(plan, values, 1).feeds, [graph.label.name]);
    checkLabel(outputs[graph.label.name]?.data[0] as ClassLabel | undefined, graph.classOrder, inBatch);
  }
}

function checkLabel(label: ClassLabel | undefined, order: ClassOrder, probabilities: Float64Array): void {
  const outcome = label === undefined ? undefined : outcomeOfLabel(label, order);
  if (outcome !== undefined && probabilities[outcome]! >= Math.max(...probabilities) - TIE) return;
  throw new ModelRefusedError(
    `the model's label is ${JSON.stringify(typeof label === 'bigint' ? Number(label) : label)} ` +
      `(${outcome === undefined ? 'none of its classes' : OUTCOME_NAMES[outcome]}) where its probabilities are ` +
      `${inWords(probabilities)}: classes, perhaps home and away, would be swapped`,
  );
}

function outcomeOfLabel(label: ClassLabel, { labels, outcomes }: ClassOrder): Outcome | undefined {
  const column = labels?.findIndex((known) => known === label || Number(known) === Number(label));
  return column === undefined || column === -1 ? outcomeOf(label) : outcomes[column];
}

/**
 * Rows of zeros, of ones, and of numbers of every magnitude up to 10,000, the same ones each time. None is negative:
 * features seldom are, and a graph may do anything with what it was never meant for.
 */
function warmRows(width: number): Float64Array {
  const matrix = new Float64Array(ROWS * width);
  let state = 1;
  for (let index = width; index < matrix.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0; // Numerical Recipes' linear congruential generator
    matrix[index] = index < width * 2 ? 1 : 10 ** ((state / 2 ** 32) * 5 - 1);
  }
  return matrix;
}

function inWords(probabilities: Float64Array): string {
  return OUTCOME_NAMES.map((name, outcome) => `${name} ${probabilities[outcome]?.toFixed(4)}`).join(', ');
}

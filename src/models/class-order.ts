import { ModelRefusedError } from '../errors.ts';
import type { OnnxNode, OnnxProto } from './onnx-proto.ts';
import { type ClassLabel, type Outcome, outcomeOf } from './outcome.ts';

/** What each of a model's three probability columns stands for. */
export interface ClassOrder {
  /** The outcome of each column: `[2, 1, 0]` for a model whose classes are away, draw, home. */
  readonly outcomes: readonly [Outcome, Outcome, Outcome];
  /** The model's own label of each column, as its label output gives it; undefined when only the metadata has them. */
  readonly labels: readonly ClassLabel[] | undefined;
}

/** A place in the file that says what the columns are. */
interface Evidence {
  readonly source: string;
  readonly labels: readonly ClassLabel[];
}

/** The tensors and labels that `readOnnxGraph` has found. */
export interface ClassOutputs {
  readonly probabilities: string;
  readonly label: { readonly name: string; readonly type: string } | undefined;
  readonly zipMapLabels: readonly ClassLabel[] | undefined;
}

// Operators that leave the columns where they are, so that a classifier behind them still names the columns; the second
// set does so with each of its inputs (a vote of several classifiers).
const RESHAPERS = 'Identity Cast Reshape Squeeze Unsqueeze Flatten'.split(' ');
const COLUMN_KEEPERS = new Set([...RESHAPERS, 'Normalizer', 'Softmax', 'Clip']);
const COLUMN_MIXERS = new Set('Add Sub Mul Div Sum Mean Max Min'.split(' '));
// From a label output back to the list that it takes its label from.
const LABEL_KEEPERS = new Set([...RESHAPERS, 'ArrayFeatureExtractor', 'Gather']);
const NEEDED =
  'it must name three classes: integers 0 home, 1 draw, 2 away, or text such as home, draw, away or 1, X, 2 ' +
  '(in classlabels attributes, or as a metadata entry class_labels with the labels in the order of the columns)';

/**
 * The order of a model's classes, from all that the file says about it. Nothing is guessed: home and away swapped is
 * the one error that no one would notice.
 *
 * @throws ModelRefusedError when the file says nothing, something that is no 1x2 outcome, or two different things
 */
export function readClassOrder(proto: OnnxProto, outputs: ClassOutputs): ClassOrder {
  const evidence = [...graphEvidence(proto, outputs), ...metadataEvidence(proto)];
  if (evidence.length === 0)
    throw new ModelRefusedError(`the order of the model's classes is unknown: ${NEEDED}`);
  const outcomes = [0, 1, 2].map((column) => outcomeOfColumn(evidence, column));
  if (evidence.some(({ labels }) => labels.length !== 3) || new Set(outcomes).size !== 3) {
    throw new ModelRefusedError(`the model's classes are ${describe(evidence)}; ${NEEDED}`);
  }
  const inGraph = evidence.find(({ source }) => source !== METADATA);
  return { outcomes: outcomes as [Outcome, Outcome, Outcome], labels: inGraph?.labels };
}

const METADATA = 'the metadata entry class_labels';

/** Labels without a meaning of their own (a foreign word) take it from the metadata; those with one must agree with it. */
function outcomeOfColumn(evidence: readonly Evidence[], column: number): Outcome {
  const outcomes = evidence
    .map(({ labels }) => outcomeOf(labels[column] ?? ''))
    .filter((known) => known !== undefined);
  const [outcome] = outcomes;
  if (outcome === undefined)
    throw new ModelRefusedError(`the model's classes are ${describe(evidence)}; ${NEEDED}`);
  if (outcomes.some((other) => other !== outcome)) {
    throw new ModelRefusedError(`the model contradicts itself about its classes: ${describe(evidence)}`);
  }
  return outcome;
}

function graphEvidence(proto: OnnxProto, outputs: ClassOutputs): Evidence[] {
  const { probabilities, label, zipMapLabels } = outputs;
  const makers = new Map(proto.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const upstream = columnLabels(makers, probabilities);
  if (label) upstream.push(...labelLabels(proto, makers, label.name));
  // A model of text labels may hold classifiers that were trained on the labels' places in the alphabet: such a 0 is
  // not a home win.
  const kind = zipMapLabels ? typeof zipMapLabels[0] : label?.type === 'string' ? 'string' : 'bigint';
  const certain =
    zipMapLabels || label ? upstream.filter(({ labels }) => typeof labels[0] === kind) : upstream;
  return zipMapLabels ? [{ source: 'ZipMap', labels: zipMapLabels }, ...certain] : certain;
}

type Makers = ReadonlyMap<string, OnnxNode>;

/** The labels of the classifiers that a tensor of probabilities comes from, column by column. */
function columnLabels(makers: Makers, tensor: string): Evidence[] {
  const found: Evidence[] = [];
  const seen = new Set<OnnxNode>();
  const ahead = [tensor];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const maker = makers.get(name);
    if (!maker || seen.has(maker)) continue;
    seen.add(maker);
    if (maker.labels) found.push({ source: maker.operator, labels: maker.labels });
    else if (COLUMN_MIXERS.has(maker.operator)) ahead.push(...maker.inputs);
    else if (COLUMN_KEEPERS.has(maker.operator)) ahead.push(...maker.inputs.slice(0, 1));
  }
  return found;
}

/** The list of labels that a label tensor takes its values from: a constant, or a classifier's own. */
function labelLabels(proto: OnnxProto, makers: Makers, tensor: string): Evidence[] {
  const seen = new Set<string>();
  for (let name: string | undefined = tensor; name !== undefined && !seen.has(name); ) {
    seen.add(name);
    const constant = proto.labelConstants.get(name);
    if (constant) return [{ source: `the constant ${name}`, labels: constant }];
    const maker = makers.get(name);
    if (maker?.labels) return [{ source: maker.operator, labels: maker.labels }];
    name = maker && LABEL_KEEPERS.has(maker.operator) ? maker.inputs[0] : undefined;
  }
  return [];
}

/** `home,draw,away`, `0,1,2` or a JSON array. Numbers are read as JSON reads them: integers, not text. */
function metadataEvidence(proto: OnnxProto): Evidence[] {
  const text = proto.metadata.get('class_labels')?.trim();
  if (text === undefined) return [];
  const labels = jsonArray(text) ?? jsonArray(`[${text}]`) ?? text.split(',').map((label) => label.trim());
  return [{ source: METADATA, labels }];
}

function jsonArray(text: string): ClassLabel[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return undefined;
    return value.map((label: unknown) => (typeof label === 'number' ? label : String(label)));
  } catch {
    return undefined;
  }
}

function describe(evidence: readonly Evidence[]): string {
  const parts = evidence.map(({ source, labels }) => {
    const list = labels
      .map((label) => (typeof label === 'string' ? JSON.stringify(label) : label))
      .join(', ');
    return `${list.slice(0, 200)} (${source.slice(0, 100)})`;
  });
  return [...new Set(parts)].join('; ');
}

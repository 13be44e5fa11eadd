import type { z } from 'zod';

/** One fault of a request in FastAPI's shape (FastAPI 0.142, pydantic 2.13: `ValidationError.errors()` without `url`). */
export interface Fault {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The request is not what the route takes; the answer is 422 with `faults`. */
export class RequestFaultsError extends Error {
  readonly code = 'REQUEST_FAULTS';
  override readonly name = 'RequestFaultsError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.faults = faults;
  }
}

/**
 * Says a zod issue in FastAPI's words.
 * @param part where the data stood: body, path or query
 * @param data what was validated, for the `input` of each fault
 */
export function faultsOf(issue: z.core.$ZodIssue, part: string, data: unknown): Fault[] {
  const path = issue.path as (string | number)[];
  const loc = [part, ...path];
  const value = valueAt(data, path);
  const fault = (type: string, msg: string, ctx?: Fault['ctx']): Fault[] => [
    { type, loc, msg, input: bounded(value), ...(ctx && { ctx }) },
  ];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        type: 'extra_forbidden',
        loc: [...loc, key],
        msg: 'Extra inputs are not permitted',
        input: bounded(valueAt(value, [key])),
      }));
    case 'invalid_value': {
      const expected = issue.values.map((word) => `'${String(word)}'`).join(' or ');
      return fault('literal_error', `Input should be ${expected}`, { expected });
    }
    case 'too_big':
      return fault('less_than_equal', `Input should be less than or equal to ${issue.maximum}`, {
        le: issue.maximum,
      });
    case 'too_small':
      return fault('greater_than_equal', `Input should be greater than or equal to ${issue.minimum}`, {
        ge: issue.minimum,
      });
    case 'invalid_type':
      if (value === undefined) {
        const parent = path.length === 0 ? null : valueAt(data, path.slice(0, -1));
        return [{ type: 'missing', loc, msg: 'Field required', input: bounded(parent) }];
      }
      return fault(...wrongType(issue, value));
    default:
      return fault('value_error', issue.message);
  }
}

function wrongType(issue: z.core.$ZodIssueInvalidType, value: unknown): [type: string, msg: string] {
  switch (issue.expected) {
    case 'int':
      return ['int_from_float', 'Input should be a valid integer, got a number with a fractional part'];
    case 'number':
      return notANumber(issue.message, value);
    case 'record':
      return ['dict_type', 'Input should be a valid dictionary'];
    case 'object':
      return ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'];
    default:
      return [`${issue.expected}_type`, `Input should be a valid ${issue.expected}`];
  }
}

/** @param message the schema's own words, which tell an integer field from a number field; zod's issue does not */
function notANumber(message: string, value: unknown): [type: string, msg: string] {
  if (typeof value === 'number') return ['finite_number', 'Input should be a finite number'];
  const integer = message.endsWith('integer');
  const type = integer ? 'int' : 'float';
  if (typeof value !== 'string' || Number.isFinite(Number(value))) return [`${type}_type`, message];
  return [`${type}_parsing`, `${message}, unable to parse string as ${integer ? 'an integer' : 'a number'}`];
}

function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** What was sent, cut where it is long or deep: an answer must not grow with a hostile request. */
function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'string') return value.length > 200 ? `${value.slice(0, 200)}…` : value;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === 2) return Array.isArray(value) ? '[…]' : '{…}';
  const entries = Object.entries(value).slice(0, 50);
  if (Array.isArray(value)) return entries.map(([, item]) => bounded(item, depth + 1));
  return Object.fromEntries(entries.map(([key, item]) => [bounded(key), bounded(item, depth + 1)]));
}

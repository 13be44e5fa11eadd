import { isUtf8 } from 'node:buffer';
import { RequestFaultsError } from './faults.ts';

/**
 * Parses a JSON body; an empty one is `undefined`, for the schema to miss. Only own keys are ever read from what this
 * gives, so a key `__proto__` is a key like any other.
 * @throws RequestFaultsError when it is not JSON
 */
export async function parseJsonBody(_request: unknown, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw brokenJson(0, 'The body is not UTF-8');
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    // V8 tells the place of most faults in words, not that of an unexpected token; a text that just ends, ends at its end.
    const place =
      /at position (\d+)/.exec(message)?.[1] ?? (message.includes('end of JSON') ? text.length : 0);
    throw brokenJson(Number(place), message.replace(/, (\.\.\.)?".*$/s, '')); // without V8's quotation of the body
  }
}

/** A body of another type than JSON, in FastAPI's words. */
export function notJson(): RequestFaultsError {
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  return new RequestFaultsError([{ type: 'model_attributes_type', loc: ['body'], msg, input: null }]);
}

function brokenJson(position: number, error: string): RequestFaultsError {
  const fault = {
    type: 'json_invalid',
    loc: ['body', position],
    msg: 'JSON decode error',
    input: {},
    ctx: { error },
  };
  return new RequestFaultsError([fault]);
}

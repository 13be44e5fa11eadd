import type { ParquetColumn } from './footer.ts';

/** What pandas stores for a missing timestamp (NaT) when it does not store a null. */
const NOT_A_TIME = -(2n ** 63n);
const NANOSECONDS = 1_000_000_000n; // in a second
const JULIAN_DAY_OF_EPOCH = 2_440_588;

/**
 * A timestamp as ISO 8601 in UTC, with a fraction only when it is not zero, in full precision (`.123456789`, zeros at
 * its end left out); a DATE as `YYYY-MM-DD`. A timestamp without a zone is UTC.
 *
 * @returns undefined for NaT, and for a time outside ±271,821 years, which no Date can hold.
 */
export function timestampText(
  value: bigint | number | Uint8Array,
  column: ParquetColumn,
): string | undefined {
  const { converted_type: converted, logical_type: logical } = column.element;
  if (converted === 'DATE' || logical?.type === 'DATE') {
    return isoText(Number(value) * 86_400, 0n)?.slice(0, -'T00:00:00Z'.length);
  }
  if (value instanceof Uint8Array) {
    // INT96: 8 bytes of nanoseconds in the day, then 4 of the Julian day
    const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
    const days = view.getInt32(8, true) - JULIAN_DAY_OF_EPOCH;
    return isoText(days * 86_400, view.getBigInt64(0, true));
  }
  const ticks = BigInt(value);
  if (ticks === NOT_A_TIME) return undefined;
  const perSecond = ticksPerSecond((logical?.type === 'TIMESTAMP' ? logical.unit : undefined) ?? converted);
  return isoText(Number(ticks / perSecond), (ticks % perSecond) * (NANOSECONDS / perSecond));
}

function ticksPerSecond(unit: string | undefined): bigint {
  if (unit === 'NANOS') return NANOSECONDS;
  return unit === 'MICROS' || unit === 'TIMESTAMP_MICROS' ? 1_000_000n : 1000n;
}

/** @param nanoseconds any number of them, also negative ones */
function isoText(seconds: number, nanoseconds: bigint): string | undefined {
  const fraction = ((nanoseconds % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  const date = new Date((seconds + Number((nanoseconds - fraction) / NANOSECONDS)) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const whole = date.toISOString().slice(0, -'.000Z'.length);
  if (fraction === 0n) return `${whole}Z`;
  return `${whole}.${String(fraction).padStart(9, '0').replace(/0+$/, '')}Z`;
}

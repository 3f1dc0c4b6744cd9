import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** A whole number beyond 32 bits. Sent as a JSON number while that is exact, else as a string. */
export const BigIntScalar = new GraphQLScalarType<bigint, number | string>({
  name: 'BigInt',
  description: 'A whole number that may exceed 32 bits; a string beyond 2^53.',
  serialize(value) {
    const number = BigInt(value as bigint | number | string);
    return number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER ? Number(number) : String(number);
  },
});

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Date takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function parseTime(value: unknown): Date {
  const time = typeof value === 'string' && TIME.test(value) && isDay(value.slice(0, 10)) ? new Date(value) : null;
  if (time === null || Number.isNaN(time.getTime())) {
    throw new GraphQLError('A time is written like 2026-03-29T12:00:00Z, with its zone.');
  }
  return time;
}

/** ISO 8601 with a zone; always sent in UTC. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment, ISO 8601 with a zone. Sent in UTC.',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: parseTime,
  parseLiteral: (node) => parseTime(node.kind === Kind.STRING ? node.value : null),
});

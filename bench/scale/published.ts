/** Prices and limits as the platforms publish them, in US dollars. Amounts that come with a plan are per month. */

/** The day on which the figures were read, from stored copies of the pages below. A copy may be older than its page. */
export const READ_ON = "2026-11-23";

export interface Source {
  name: string;
  url: string;
  /** Which figures were taken from it, and remarks. */
  taken: string;
}

export const SOURCES: readonly Source[] = [
  {
    name: "Workers pricing",
    url: "https://developers.cloudflare.com/workers/platform/pricing/",
    taken: "requests, CPU time; no charge for waiting",
  },
  {
    name: "Workers limits",
    url: "https://developers.cloudflare.com/workers/platform/limits/",
    taken:
      "10,000 subrequests and 6 open connections per request, 128 MB of memory, no general limit on requests; older copies of the page say 1,000 subrequests",
  },
  {
    name: "Workers Logs",
    url: "https://developers.cloudflare.com/workers/observability/logs/workers-logs/",
    taken:
      "a line per invocation (requests, calls of objects, alarms), 5 billion lines a day; the price changes on 2026-12-01 to one by bytes, whose page no copy shows",
  },
  {
    name: "Durable Objects pricing",
    url: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
    taken: "calls, duration at 128 MB, rows, storage; an alarm is a call, setting one is a row written",
  },
  {
    name: "Durable Objects limits",
    url: "https://developers.cloudflare.com/durable-objects/platform/limits/",
    taken: "10 GB per object, 1,000 requests a second per object (soft), any number of objects",
  },
  {
    name: "Lifecycle of an object",
    url: "https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/",
    taken: "an idle object that could hibernate costs no duration; one with an open response or a timer does",
  },
  {
    name: "D1 pricing",
    url: "https://developers.cloudflare.com/d1/platform/pricing/",
    taken: "how rows are counted: one for the table and one for each index; objects are priced alike",
  },
  {
    name: "R2 pricing",
    url: "https://developers.cloudflare.com/r2/pricing/",
    taken: "writes (class A), reads (class B)",
  },
  {
    name: "Neon plans",
    url: "https://neon.com/docs/introduction/plans",
    taken:
      "compute, storage, transfer, 16 TB per branch; that a unit is one core is from an older copy, the newest gives its memory only",
  },
  {
    name: "Neon connection pooling",
    url: "https://neon.com/docs/connect/connection-pooling",
    taken: "10,000 client connections; no limit on SQL over HTTP is given",
  },
  {
    name: "Neon serverless driver",
    url: "https://neon.com/docs/serverless/serverless-driver",
    taken: "64 MB per request and answer over HTTP; older copies say 10 MB",
  },
  {
    name: "QStash pricing",
    url: "https://upstash.com/pricing/qstash",
    taken:
      "messages, parallelism (more is delayed, not refused), message sizes; whether a retry is charged, two copies answer differently",
  },
  {
    name: "Upstash Redis pricing",
    url: "https://upstash.com/docs/redis/overall/billing",
    taken: "commands; 10,000 a second",
  },
  {
    name: "Cloudflare Queues limits",
    url: "https://developers.cloudflare.com/queues/platform/limits/",
    taken: "250 consumers at once and 5,000 messages a second per queue",
  },
];

/** A price per unit beyond what a plan includes per month. */
export interface Price {
  included: number;
  perUnit: number;
}

const MILLION = 1_000_000;

export const WORKERS = {
  planPerMonth: 5,
  requests: { included: 10 * MILLION, perUnit: 0.3 / MILLION },
  cpuMs: { included: 30 * MILLION, perUnit: 0.02 / MILLION },
  logLines: { included: 20 * MILLION, perUnit: 0.6 / MILLION },
  logLinesPerDay: 5_000 * MILLION,
} as const;

export const OBJECTS = {
  calls: { included: MILLION, perUnit: 0.15 / MILLION },
  /** Gigabyte-seconds. */
  duration: { included: 400_000, perUnit: 12.5 / MILLION },
  /** Gigabytes charged for each object, independent of its use. */
  memoryGb: 0.128,
  rowsRead: { included: 25_000 * MILLION, perUnit: 0.001 / MILLION },
  rowsWritten: { included: 50 * MILLION, perUnit: 1 / MILLION },
  /** Gigabytes through a month. */
  storage: { included: 5, perUnit: 0.2 },
  callsPerSecondEach: 1_000,
  bytesEach: 10e9,
} as const;

export const R2 = {
  writes: { included: MILLION, perUnit: 4.5 / MILLION },
  reads: { included: 10 * MILLION, perUnit: 0.36 / MILLION },
} as const;

export const NEON = {
  /** Per compute unit and hour: up to 16 units, which scale with the load, and above. */
  launchPerHour: 0.106,
  scalePerHour: 0.222,
  smallestUnits: 0.25,
  followingUnits: 16,
  mostUnits: 56,
  /** Gigabytes through a month. */
  storage: { included: 0, perUnit: 0.35 },
  branchBytes: 16e12,
  /** Gigabytes out. */
  transfer: { included: 100, perUnit: 0.1 },
} as const;

export interface QueuePlan {
  name: string;
  messagesPerDay: number;
  /** Most concurrent deliveries. */
  atOnce: number;
  perMonth: (messages: number) => number;
}

/** Cheapest first. Larger plans are by agreement. */
export const QSTASH: readonly QueuePlan[] = [
  {
    name: "pay as you go",
    messagesPerDay: Number.POSITIVE_INFINITY,
    atOnce: 100,
    perMonth: (messages) => messages / 100_000,
  },
  { name: "Fixed 1M", messagesPerDay: MILLION, atOnce: 200, perMonth: () => 180 },
  { name: "Fixed 10M", messagesPerDay: 10 * MILLION, atOnce: 1_000, perMonth: () => 420 },
];

/**
 * For comparison: the service's default price for models without a known price (`src/domain/metering/usage/prices.ts`),
 * per token.
 */
export const MODEL = { inputToken: 1 / MILLION, outputToken: 3 / MILLION } as const;

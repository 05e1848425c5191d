import { NEON, OBJECTS, QSTASH, R2, WORKERS, type Price, type QueuePlan } from "./published.ts";
import { FROM_THE_CODE, type TaskNeeds } from "./task-needs.ts";

/** Assumptions about the arrival of tasks; everything else is measured or published. */
export const ASSUMED = {
  /** Ratio of the busiest second of a day to the average. */
  peak: 3,
  /** Share of all tasks that use the same key, whose calls all go through one rate limiter. */
  largestCaller: 0.1,
  /** Share of a database's compute that tasks use at the peak; the rest is for other requests. */
  databaseBusy: 0.6,
  daysPerMonth: 30,
  hoursPerMonth: 730,
} as const;

const DAY_SECONDS = 24 * 60 * 60;

/** What an installation needs for so many tasks a day, and its cost in US dollars a month after its first year. */
export interface Load {
  tasksPerDay: number;
  meanPerSecond: number;
  peakPerSecond: number;
  /** Steps in progress at the peak; each keeps a delivery of the queue open. */
  deliveriesAtOnce: number;
  /** The cheapest sufficient plan; undefined if no published plan suffices. */
  queuePlan: QueuePlan | undefined;
  databaseUnits: { mean: number; peak: number };
  databaseBytesPerYear: number;
  logGbKept: number;
  logLinesPerDay: number;
  /** Calls of the busiest rate limiter at the peak. */
  limiterCallsPerSecond: number;
  prices: Prices;
}

/** Undefined prices are by agreement. */
export interface Prices {
  requests: number;
  cpu: number;
  logLines: number;
  objectCalls: number;
  objectDuration: number;
  rowsWritten: number;
  rowsRead: number;
  logStorage: number;
  queue: number | undefined;
  databaseCompute: number;
  databaseStorage: number;
  databaseTransfer: number;
  bucket: number;
}

export function loadOf(task: TaskNeeds, tasksPerDay: number): Load {
  const meanPerSecond = tasksPerDay / DAY_SECONDS;
  const peakPerSecond = meanPerSecond * ASSUMED.peak;
  const deliveriesAtOnce = peakPerSecond * task.deliverySeconds;
  const perMonth = tasksPerDay * ASSUMED.daysPerMonth;
  const queuePlan = QSTASH.find(
    (plan) => tasksPerDay * task.messages <= plan.messagesPerDay && deliveriesAtOnce <= plan.atOnce,
  );
  const units = (perSecond: number) =>
    Math.max((perSecond * task.databaseCpuMs) / 1000 / ASSUMED.databaseBusy, NEON.smallestUnits);
  const databaseUnits = { mean: units(meanPerSecond), peak: units(peakPerSecond) };
  const perHour = databaseUnits.peak > NEON.followingUnits ? NEON.scalePerHour : NEON.launchPerHour;
  const databaseBytesPerYear = tasksPerDay * task.databaseBytes * 365;
  const logGbKept = (tasksPerDay * FROM_THE_CODE.logDays * task.logBytes) / 1e9;
  return {
    tasksPerDay,
    meanPerSecond,
    peakPerSecond,
    deliveriesAtOnce,
    queuePlan,
    databaseUnits,
    databaseBytesPerYear,
    logGbKept,
    logLinesPerDay: tasksPerDay * task.logLines,
    limiterCallsPerSecond: peakPerSecond * ASSUMED.largestCaller * 2,
    prices: {
      requests: priceOf(WORKERS.requests, perMonth * task.requests),
      cpu: priceOf(WORKERS.cpuMs, perMonth * task.cpuMs),
      logLines: priceOf(WORKERS.logLines, perMonth * task.logLines),
      objectCalls: priceOf(OBJECTS.calls, perMonth * task.objectCalls),
      objectDuration: priceOf(OBJECTS.duration, perMonth * task.objectGbSeconds),
      rowsWritten: priceOf(OBJECTS.rowsWritten, perMonth * task.rowsWritten),
      rowsRead: priceOf(OBJECTS.rowsRead, perMonth * task.rowsRead),
      logStorage: priceOf(OBJECTS.storage, logGbKept),
      queue: queuePlan?.perMonth(perMonth * task.messages),
      databaseCompute: databaseUnits.mean * perHour * ASSUMED.hoursPerMonth,
      databaseStorage: priceOf(NEON.storage, databaseBytesPerYear / 1e9),
      databaseTransfer: priceOf(NEON.transfer, (perMonth * task.databaseBytesRead) / 1e9),
      bucket:
        priceOf(R2.writes, perMonth * task.bucketWrites) + priceOf(R2.reads, perMonth * task.bucketReads),
    },
  };
}

/** The total without prices by agreement. */
export function totalOf({ prices }: Load): number {
  const known: (number | undefined)[] = Object.values(prices);
  return known.reduce<number>((sum, price) => sum + (price ?? 0), WORKERS.planPerMonth);
}

function priceOf({ included, perUnit }: Price, amount: number): number {
  return Math.max(amount - included, 0) * perUnit;
}

import { totalOf, type Load } from "./load.ts";
import { NEON, OBJECTS, QSTASH, WORKERS } from "./published.ts";
import type { TaskNeeds } from "./task-needs.ts";
import { amount, bytes, dollars, share, table } from "./words.ts";

const NONE = "none published";

/** The table of one size: a row for each resource of an installation. */
export function sizeTable(task: TaskNeeds, load: Load): string {
  const { tasksPerDay, prices, databaseUnits } = load;
  const daily = (each: number) => amount(tasksPerDay * each);
  const peak = (each: number) => amount(load.peakPerSecond * each);
  const counted = (what: string, each: number, price: number) => [
    what,
    daily(each),
    peak(each),
    NONE,
    "",
    dollars(price),
  ];
  return table(
    ["", "a day", "peak a second", "limit", "share", "$ a month"],
    [
      counted("Requests to the Worker", task.requests, prices.requests),
      [
        "CPU of the Worker",
        `${daily(task.cpuMs / 3_600_000)} h`,
        `${peak(task.cpuMs / 1000)} cores`,
        NONE,
        "",
        dollars(prices.cpu),
      ],
      [
        "Lines of the platform's log",
        daily(task.logLines),
        peak(task.logLines),
        `${amount(WORKERS.logLinesPerDay)} a day`,
        share(load.logLinesPerDay / WORKERS.logLinesPerDay),
        dollars(prices.logLines),
      ],
      counted("Calls of objects", task.objectCalls, prices.objectCalls + prices.rowsRead),
      [
        "– of the busiest rate limiter",
        "",
        amount(load.limiterCallsPerSecond),
        `${amount(OBJECTS.callsPerSecondEach)} a second`,
        share(load.limiterCallsPerSecond / OBJECTS.callsPerSecondEach),
        "",
      ],
      [
        "Object time, GB-s",
        daily(task.objectGbSeconds),
        `${peak(task.seconds)} awake`,
        NONE,
        "",
        dollars(prices.objectDuration),
      ],
      counted("Rows written in objects", task.rowsWritten, prices.rowsWritten),
      [
        "Events kept 30 days",
        bytes(load.logGbKept * 1e9),
        "",
        bytes(OBJECTS.bytesEach) + " an object",
        share(task.logBytes / OBJECTS.bytesEach),
        dollars(prices.logStorage),
      ],
      ...queueRows(task, load),
      ["Database trips", daily(task.databaseTrips), peak(task.databaseTrips), NONE, "", ""],
      [
        "Database compute, units",
        amount(databaseUnits.mean),
        amount(databaseUnits.peak),
        `${NEON.followingUnits} (fixed: ${NEON.mostUnits})`,
        share(databaseUnits.peak / NEON.followingUnits),
        dollars(prices.databaseCompute),
      ],
      [
        "Database rows after a year",
        bytes(load.databaseBytesPerYear),
        "",
        bytes(NEON.branchBytes),
        share(load.databaseBytesPerYear / NEON.branchBytes),
        dollars(prices.databaseStorage),
      ],
      [
        "Bytes out of the database",
        bytes(tasksPerDay * task.databaseBytesRead),
        bytes(load.peakPerSecond * task.databaseBytesRead),
        NONE,
        "",
        dollars(prices.databaseTransfer),
      ],
      counted("Reads and writes of buckets", task.bucketReads + task.bucketWrites, prices.bucket),
      [prices.queue === undefined ? "All but the queue" : "All", "", "", "", "", dollars(totalOf(load))],
    ],
  );
}

function queueRows(
  task: TaskNeeds,
  { tasksPerDay, peakPerSecond, queuePlan, prices, ...load }: Load,
): string[][] {
  const { messagesPerDay = 0, atOnce = 0 } = queuePlan ?? QSTASH.at(-1) ?? {};
  const messages = tasksPerDay * task.messages;
  const isLimited = Number.isFinite(messagesPerDay);
  return [
    [
      `Queue messages (${queuePlan?.name ?? "beyond all plans"})`,
      amount(messages),
      amount(peakPerSecond * task.messages),
      isLimited ? `${amount(messagesPerDay)} a day` : NONE,
      isLimited ? share(messages / messagesPerDay) : "",
      prices.queue === undefined ? "by agreement" : dollars(prices.queue),
    ],
    [
      "– deliveries under way",
      "",
      `${amount(load.deliveriesAtOnce)} at once`,
      `${amount(atOnce)} at once`,
      share(load.deliveriesAtOnce / atOnce),
      "",
    ],
  ];
}

/** Limits that are more than half used or need a larger plan, the most used first. */
export function wallsOf(load: Load): string {
  const plans = QSTASH.map(({ name, atOnce }) => `${name} ${amount(atOnce)}`).join(", ");
  const days = (NEON.branchBytes / load.databaseBytesPerYear) * 365;
  const smallest = QSTASH[0]?.atOnce ?? 0;
  const walls = [
    {
      share: load.deliveriesAtOnce / smallest,
      text: `${amount(load.deliveriesAtOnce)} deliveries of the queue under way at the peak. Its plans allow: ${plans}`,
    },
    {
      share: load.databaseBytesPerYear / NEON.branchBytes,
      text: `${bytes(load.databaseBytesPerYear)} of new rows a year. A database holds ${bytes(NEON.branchBytes)}: full after ${amount(days)} days`,
    },
    {
      share: load.databaseUnits.peak / NEON.followingUnits,
      text: `${amount(load.databaseUnits.peak)} units of database compute at the peak. ${NEON.followingUnits} follow the load, ${NEON.mostUnits} can be had fixed`,
    },
    {
      share: load.logLinesPerDay / WORKERS.logLinesPerDay,
      text: `${amount(load.logLinesPerDay)} lines of the platform's log a day, of ${amount(WORKERS.logLinesPerDay)}; beyond, one in a hundred is kept`,
    },
    {
      share: load.limiterCallsPerSecond / OBJECTS.callsPerSecondEach,
      text: `${amount(load.limiterCallsPerSecond)} calls a second of the busiest rate limiter, of ${amount(OBJECTS.callsPerSecondEach)}`,
    },
  ];
  const near = walls.filter((wall) => wall.share >= 0.5).toSorted((one, other) => other.share - one.share);
  if (near.length === 0) return "None. No limit is used by half.";
  return near.map(({ text }, index) => `${index + 1}. ${text}.`).join("\n");
}

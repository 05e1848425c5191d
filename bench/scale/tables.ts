import { CHANGES } from "./changes.ts";
import { ASSUMED, loadOf, totalOf } from "./load.ts";
import type { Measured } from "./measured.ts";
import { MODEL, NEON, OBJECTS, QSTASH, READ_ON, SOURCES, WORKERS } from "./published.ts";
import { sizeTable, wallsOf } from "./size.ts";
import { needsOf, type TaskNeeds } from "./task-needs.ts";
import { amount, bytes, dollars, share, table } from "./words.ts";

/** Tasks a day. */
const SIZES = [1_000, 100_000, 10_000_000] as const;
const LARGEST = 10_000_000;

/** Tokens of a typical task's model call, for a comparison of prices. */
const MODEL_CALL = { inputTokens: 10_000, outputTokens: 300 };

/** The computed parts of docs/scale.md, by the name of their marker. */
export function computedParts(measured: Measured): ReadonlyMap<string, string> {
  const short = needsOf(measured.short);
  const typical = needsOf(measured.typical);
  const parts: [string, string][] = [
    ["dates", `Measured on ${measured.date}. Prices and limits read on ${READ_ON}.`],
    ["assumed", assumedSentences()],
    ["task", taskTable(short, typical)],
    ["rows", rowsSentence(measured)],
    ["model", modelSentence(measured)],
    ["changes", changesTable(measured)],
    ["sources", SOURCES.map(({ name, url, taken }) => `- [${name}](${url}): ${taken}.`).join("\n")],
  ];
  for (const size of SIZES) {
    const load = loadOf(typical, size);
    parts.push([`size-${size}`, sizeTable(typical, load)], [`walls-${size}`, wallsOf(load)]);
  }
  return new Map(parts);
}

function assumedSentences(): string {
  const { peak, largestCaller, databaseBusy, daysPerMonth } = ASSUMED;
  return (
    `Assumed: the busiest second of a day has ${peak} times the tasks of an average one. A month has ${daysPerMonth} days. ` +
    `${share(largestCaller)} of all tasks come with the same key. A database is ${share(databaseBusy)} busy with tasks at the peak; ` +
    "the rest is for everything else."
  );
}

function taskTable(short: TaskNeeds, typical: TaskNeeds): string {
  /** `unitPrice` is the price of one more unit beyond the included ones. */
  const row = (
    what: string,
    of: (task: TaskNeeds) => number,
    { unitPrice, show = amount }: { unitPrice?: number; show?: (value: number) => string } = {},
  ) => [
    what,
    show(of(short)),
    show(of(typical)),
    unitPrice === undefined ? "" : dollars(of(typical) * unitPrice * 1_000),
  ];
  return table(
    ["Of one task", "one turn", "five turns", "1,000 of five"],
    [
      row("Seconds", ({ seconds }) => seconds),
      row("Requests to the Worker", ({ requests }) => requests, { unitPrice: WORKERS.requests.perUnit }),
      row("CPU, ms", ({ cpuMs }) => cpuMs, { unitPrice: WORKERS.cpuMs.perUnit }),
      row("Calls and alarms of objects", (task) => task.objectCalls, { unitPrice: OBJECTS.calls.perUnit }),
      row("Object time, GB-s", (task) => task.objectGbSeconds, { unitPrice: OBJECTS.duration.perUnit }),
      row("Rows written in objects", (task) => task.rowsWritten, { unitPrice: OBJECTS.rowsWritten.perUnit }),
      row("Events kept 30 days", ({ logBytes }) => logBytes, perByte(OBJECTS.storage.perUnit)),
      row("Lines of the platform's log", (task) => task.logLines, { unitPrice: WORKERS.logLines.perUnit }),
      row("Queue messages", ({ messages }) => messages, { unitPrice: QSTASH[0]?.perMonth(1) ?? 0 }),
      row("Database trips", ({ databaseTrips }) => databaseTrips),
      row("Database CPU, ms", ({ databaseCpuMs }) => databaseCpuMs),
      row("Database rows, a month", ({ databaseBytes }) => databaseBytes, perByte(NEON.storage.perUnit)),
      row("Bytes out of the database", (task) => task.databaseBytesRead, perByte(NEON.transfer.perUnit)),
    ],
  );
}

/** For bytes, which are priced per gigabyte. */
function perByte(perGb: number) {
  return { unitPrice: perGb / 1e9, show: bytes };
}

function rowsSentence({ typical }: Measured): string {
  const tables = Object.entries(typical.database.bytesStored).toSorted(([, one], [, other]) => other - one);
  const shown = tables.map(([name, stored]) => `\`${name}\` ${bytes(stored)}`).join(", ");
  return `The rows of a task of five turns, indexes included: ${shown}.`;
}

function modelSentence({ typical }: Measured): string {
  const { inputTokens, outputTokens } = MODEL_CALL;
  const each = inputTokens * MODEL.inputToken + outputTokens * MODEL.outputToken;
  const needs = needsOf(typical);
  const platform = totalOf(loadOf(needs, LARGEST)) / (LARGEST * ASSUMED.daysPerMonth);
  return (
    `For comparison: ${typical.turns} model calls of ${amount(inputTokens)} tokens in and ${amount(outputTokens)} out, at 1 and 3 ` +
    `dollars a million, cost ${dollars(each * typical.turns * 1_000)} for 1,000 such tasks; the platforms, at ten million tasks a ` +
    `day, ${dollars(platform * 1_000)}. The provider's limits on tokens a minute are not on this page, and are met first where there are any.`
  );
}

function changesTable({ typical }: Measured): string {
  const needs = needsOf(typical);
  return table(
    ["At ten million tasks a day", "rows a task", "calls a task", "$ a month"],
    [
      changedRow("As it is", needs),
      ...CHANGES.map(({ what, apply }) => changedRow(what, apply(needs, typical))),
    ],
  );
}

function changedRow(what: string, needs: TaskNeeds): string[] {
  return [
    what,
    amount(needs.rowsWritten),
    amount(needs.objectCalls),
    dollars(totalOf(loadOf(needs, LARGEST))),
  ];
}

import { randomUUID } from "node:crypto";
import { AppError } from "#src/lib/errors.ts";
import { numericCron } from "#local/numeric-cron.ts";
import { newMessageId, readTemplate, type NewMessage, type Template } from "./message.ts";

/** A message that is published at every minute that a cron expression matches, in UTC. */
export interface Schedule {
  id: string;
  cron: string;
  template: Template;
  body: Uint8Array;
  createdAt: number;
  /** When the next message is published, in milliseconds since the epoch. */
  nextAt: number;
}

/** The headers of a schedule that this queue keeps to, and the telemetry of QStash's libraries. */
const KNOWN_HEADER =
  /^upstash-(?:cron|schedule-id|telemetry-.+|(?:failure-)?callback|(?:(?:failure-)?callback-)?(?:method|delay|retries|retry-delay|timeout|forward-.+))$/u;

/**
 * Parses a request for a schedule. Throws `invalid_input` with the sentence for the caller, also for a setting that
 * this queue would not keep to: a zone, a queue, a flow control, a deduplication.
 */
export function readSchedule(destination: string, headers: Headers, body: Uint8Array, now: number): Schedule {
  const unknown = [...headers.keys()].find((name) => name.startsWith("upstash-") && !KNOWN_HEADER.test(name));
  if (unknown !== undefined)
    throw new AppError("invalid_input", `Schedules of the local queue have no ${unknown}`);
  const id = headers.get("upstash-schedule-id") ?? `scd_${randomUUID().replaceAll("-", "")}`;
  if (!/^[\w.-]+$/u.test(id))
    throw new AppError("invalid_input", "upstash-schedule-id must consist of letters, digits, _, . and -");
  const cron = headers.get("upstash-cron") ?? "";
  return {
    id,
    cron,
    template: readTemplate(destination, headers, body),
    body,
    createdAt: now,
    nextAt: nextAfter(cron, now),
  };
}

/** Returns the first minute after a moment that the expression matches. Throws `invalid_input` as `readSchedule`. */
export function nextAfter(expression: string, after: number): number {
  const next = numericCron(expression, { sunday: 0 })?.nextRun(new Date(after));
  if (!next) {
    throw new AppError(
      "invalid_input",
      "The local queue takes cron expressions of five fields in UTC: numbers, *, lists, ranges and steps",
    );
  }
  return next.getTime();
}

/** Builds the message of a schedule that is due. */
export function scheduledMessage({ id, template, body }: Schedule, now: number): NewMessage {
  return {
    id: newMessageId(),
    details: { ...template, createdAt: now, notBefore: now + template.delayMs, scheduleId: id },
    body,
  };
}

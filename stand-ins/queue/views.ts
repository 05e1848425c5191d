import type { Message } from "./message.ts";
import type { Schedule } from "./schedule.ts";
import type { DeadLetter } from "./store.ts";

/** A message as the REST API shows it. */
export function messageView({ id, details, body, retried }: Message) {
  return {
    messageId: id,
    url: details.url,
    method: details.method,
    header: listed(details.headers),
    ...text("body", Buffer.from(body)),
    maxRetries: details.retries,
    retried,
    notBefore: details.notBefore,
    createdAt: details.createdAt,
    callback: details.callback?.url,
    failureCallback: details.failureCallback?.url,
    scheduleId: details.scheduleId,
    flowControlKey: details.flow?.key,
    parallelism: details.flow?.parallelism,
  };
}

/** A dead letter as the REST API shows it. */
export function deadLetterView(letter: DeadLetter) {
  const { dlqId, answer } = letter;
  return {
    ...messageView(letter),
    dlqId,
    responseStatus: answer.status,
    responseHeader: answer.headers,
    ...text("responseBody", Buffer.from(answer.bodyBase64, "base64")),
  };
}

/** A schedule as the REST API shows it. */
export function scheduleView({ id, cron, template, body, createdAt, nextAt }: Schedule) {
  return {
    scheduleId: id,
    cron,
    createdAt,
    destination: template.url,
    method: template.method,
    header: listed(template.headers),
    ...text("body", Buffer.from(body)),
    retries: template.retries,
    delay: template.delayMs / 1000,
    callback: template.callback?.url,
    failureCallback: template.failureCallback?.url,
    isPaused: false,
    nextScheduleTime: nextAt,
  };
}

function listed(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

/** QStash returns a body as text when it is UTF-8, otherwise as base64. */
function text(name: string, bytes: Buffer): Record<string, string> {
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded, "utf8").equals(bytes)
    ? { [name]: decoded }
    : { [`${name}Base64`]: bytes.toString("base64") };
}

import { beforeEach, describe, expect, it } from "vitest";
import { deliverMail, queueMail, sendMail, type OutgoingMail } from "#src/domain/operations/mail/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Mail } from "#src/platform/mail/mailer.ts";
import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { partOf } from "#test/support/part-of.ts";

/** A mail server and a queue that do as they are told, and what they were given. */
function world() {
  const sent: Mail[] = [];
  const published: QueueMessage[] = [];
  const lines: { level: string; said: [string, unknown] }[] = [];
  const state: { mailError?: Error | undefined; queueError?: Error } = {};
  const write = (level: string) => (message: string, fields?: unknown) =>
    void lines.push({ level, said: [message, fields] });
  const log: Log = { info: write("info"), warn: write("warn"), error: write("error"), with: () => log };
  const mailer = {
    configured: true,
    async send(one: Mail) {
      if (state.mailError) throw state.mailError;
      sent.push(one);
    },
    probe: async () => {},
  };
  const queue = partOf<Queue>({
    async publish(message: QueueMessage) {
      if (state.queueError) throw state.queueError;
      published.push(message);
    },
  });
  return { sent, published, lines, state, deps: { mailer, queue, secrets: createSecrets(KEY), log } };
}

const KEY = "a-secret-key-for-tests-of-32-characters";
const away = new AppError("unavailable", "The mail server did not answer");
const mail: OutgoingMail = {
  kind: "login-code",
  to: "ann@people.test",
  subject: "Your login code",
  text: "Code 123456",
  html: "<p>Code 123456</p>",
  expiresAt: new Date(Date.now() + 3_600_000),
};
const soon = (seconds: number) => new Date(Date.now() + seconds * 1000);

let w: ReturnType<typeof world>;
beforeEach(() => {
  w = world();
});

type Payload = Parameters<typeof deliverMail>[1];
/** What the queue would deliver: the messages so far, as JSON. */
const payloads = (): Payload[] => w.published.map(({ payload }) => JSON.parse(JSON.stringify(payload)));
const last = (): Payload => payloads().at(-1) ?? { sealed: "", attempt: 0 };
const logged = (level: string) => w.lines.filter((line) => line.level === level).map(({ said }) => said);

/** Nothing of the mail but its kind may show. */
function expectSilence(): void {
  expect(JSON.stringify([w.published, w.lines])).not.toMatch(/Code 123456|ann@|people\.test/u);
}

describe("sendMail", () => {
  it("sends at once and queues nothing", async () => {
    expect(await sendMail(w.deps, mail)).toBe("sent");
    expect(w.sent).toMatchObject([
      { to: "ann@people.test", subject: "Your login code", text: "Code 123456" },
    ]);
    expect(w.published).toEqual([]);
  });

  it("leaves the second attempt to the queue when the mail server does not take it", async () => {
    w.state.mailError = away;
    expect(await sendMail(w.deps, mail)).toBe("retrying");
    expect(w.published).toMatchObject([{ function: "send-mail", delaySeconds: 5, payload: { attempt: 2 } }]);
    expectSilence();
    w.state.mailError = undefined;
    await deliverMail(w.deps, last());
    expect(w.sent).toMatchObject([
      { to: "ann@people.test", text: "Code 123456", html: "<p>Code 123456</p>" },
    ]);
  });

  it("says so when neither the mail server nor the queue is there", async () => {
    w.state.mailError = away;
    w.state.queueError = new AppError("unavailable", "The queue did not answer");
    await expect(sendMail(w.deps, mail)).rejects.toMatchObject({
      code: "unavailable",
      message: "The email could not be sent; try again later",
    });
    expect(logged("error")).toMatchObject([["mail was not queued", { kind: "login-code" }]]);
    expectSilence();
  });

  it("says so when the mail is void before the next attempt", async () => {
    w.state.mailError = away;
    const sending = sendMail(w.deps, { ...mail, expiresAt: soon(3) });
    await expect(sending).rejects.toMatchObject({ code: "unavailable" });
    expect(w.published).toEqual([]);
  });

  it("does not retry what no server will ever take", async () => {
    w.state.mailError = new AppError("invalid_input", "This email address cannot be written to");
    await expect(sendMail(w.deps, mail)).rejects.toMatchObject({ code: "invalid_input" });
    expect(w.published).toEqual([]);
  });
});

describe("queueMail", () => {
  it("publishes the first attempt, sealed, and leaves the sending to it", async () => {
    await queueMail(w.deps, mail);
    expect(w.sent).toEqual([]);
    expect(w.published).toMatchObject([{ function: "send-mail", payload: { attempt: 1 } }]);
    expectSilence();
    await deliverMail(w.deps, last());
    expect(w.sent).toMatchObject([{ to: "ann@people.test" }]);
  });

  it("publishes a message that looks the same when there is no recipient, and no mail is sent for it", async () => {
    await queueMail(w.deps, mail);
    await queueMail(w.deps, { ...mail, text: "x".repeat(1500) });
    await queueMail(w.deps, undefined);
    const shapes = w.published.map((message) => JSON.stringify(message).replaceAll(/[\w-]/gu, "x"));
    expect(new Set(shapes.map((shape) => shape.length)).size).toBe(1);
    expect(Object.keys(w.published[2] ?? {})).toEqual(Object.keys(w.published[0] ?? {}));
    await deliverMail(w.deps, last());
    expect(w.sent).toEqual([]);
    expect(w.lines).toEqual([]);
  });
});

describe("without a mail server", () => {
  it.each([
    ["sent", () => sendMail(w.deps, mail)],
    ["queued", () => queueMail(w.deps, mail)],
    ["queued without a recipient", () => queueMail(w.deps, undefined)],
  ])("no mail is %s, which is said", async (_, act) => {
    w.deps.mailer.configured = false;
    const message = "Email is not configured on this installation";
    await expect(act()).rejects.toMatchObject({ code: "unavailable", message });
    expect(w.published).toEqual([]);
  });
});

describe("deliverMail", () => {
  it("tries six times, with growing pauses, then gives up where it can be seen", async () => {
    w.state.mailError = away;
    await queueMail(w.deps, mail);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      expect(last().attempt).toBe(attempt);
      await deliverMail(w.deps, last());
    }
    expect(w.published.map(({ delaySeconds }) => delaySeconds)).toEqual([undefined, 5, 30, 120, 300, 900]);
    // Each has an id of its own: the queue takes no two for one.
    expect(new Set(w.published.map(({ deduplicationId }) => deduplicationId)).size).toBe(6);
    expect(logged("warn")).toHaveLength(6);
    const fields = { kind: "login-code", attempts: 6, reason: "not delivered" };
    expect(logged("error")).toEqual([["mail was given up", fields]]);
    expectSilence();
    const [first = { sealed: "", attempt: 0 }] = payloads();
    await deliverMail(w.deps, first);
    expect(w.published.at(-1)?.deduplicationId).toBe(w.published[1]?.deduplicationId);
  });

  it("drops a mail that is void, and one that will be before the next attempt", async () => {
    await queueMail(w.deps, { ...mail, expiresAt: soon(-1) });
    await deliverMail(w.deps, last());
    expect(w.sent).toEqual([]);
    w.state.mailError = away;
    await queueMail(w.deps, { ...mail, expiresAt: soon(600) });
    // The sixth attempt would come in 900 seconds.
    await deliverMail(w.deps, { ...last(), attempt: 5 });
    expect(w.published).toHaveLength(2);
    expect(logged("error").map(([, fields]) => fields)).toMatchObject([
      { attempts: 0, reason: "expired" },
      { attempts: 5, reason: "not delivered" },
    ]);
  });

  it("fails when the next attempt cannot be published, so that the queue delivers this one again", async () => {
    await queueMail(w.deps, mail);
    w.state.mailError = away;
    w.state.queueError = new AppError("unavailable", "The queue did not answer");
    await expect(deliverMail(w.deps, last())).rejects.toMatchObject({ retryable: true });
  });

  it("refuses garbage, what was sealed under another key, and what is no mail, for good", async () => {
    const foreign = createSecrets("another-secret-key-of-32-characters!");
    await queueMail({ ...w.deps, secrets: foreign }, mail);
    const noMail = await w.deps.secrets.encrypt('{"to":"ann@people.test"}');
    for (const sealed of ["garbage", last().sealed, noMail]) {
      await expect(deliverMail(w.deps, { sealed, attempt: 1 })).rejects.toMatchObject({ retryable: false });
    }
  });
});

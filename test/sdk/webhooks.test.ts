import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { CallbackError, verifyCallback } from "@agent-workspace/client/webhooks";
import { seeded, type Random } from "#test/support/random.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY = JSON.stringify({
  task_id: "t1",
  status: "completed",
  response: "Größe 漢字 🙂",
  from_the_future: 1,
});
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";

const now = () => Math.floor(Date.now() / 1000);

function signed(body = BODY, { id = ID, at = now(), secret = SECRET } = {}) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": new Webhook(secret).sign(id, new Date(at * 1000), body),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a callback", () => {
  it("that is signed gives the task, unknown fields included", async () => {
    expect(await verifyCallback(BODY, signed(), SECRET)).toEqual(JSON.parse(BODY));
  });

  it("has a body of text or bytes, and headers of any kind", async () => {
    const bytes = new TextEncoder().encode(BODY);
    const headers = signed();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)])
      for (const each of [headers, upper, new Headers(headers)])
        expect((await verifyCallback(body, each, SECRET)).task_id).toBe("t1");
  });

  it("may have several signatures, of old and new secrets and of other versions", async () => {
    const headers = signed();
    const other = signed(BODY, { secret: OTHER_SECRET })["webhook-signature"];
    const all = `v1a,abc v2,${"A".repeat(44)} ${other} ${headers["webhook-signature"]}`;
    const task = await verifyCallback(BODY, { ...headers, "webhook-signature": all }, SECRET);
    expect(task.status).toBe("completed");
  });

  it("may be of any of several secrets, and of no others", async () => {
    for (const secrets of [
      [SECRET, OTHER_SECRET],
      [OTHER_SECRET, SECRET],
    ]) {
      expect((await verifyCallback(BODY, signed(), secrets)).task_id).toBe("t1");
    }
    // The prefix may be left out.
    expect((await verifyCallback(BODY, signed(), SECRET.slice("whsec_".length))).task_id).toBe("t1");
    await expect(verifyCallback(BODY, signed(), [OTHER_SECRET])).rejects.toThrow(CallbackError);
    await expect(verifyCallback(BODY, signed(), [])).rejects.toThrow(TypeError);
    await expect(verifyCallback(BODY, signed(), [SECRET, ""])).rejects.toThrow(TypeError);
  });

  it.each([-299, 299])("may be %i s off the clock", async (offset) => {
    vi.setSystemTime(Date.now());
    expect((await verifyCallback(BODY, signed(BODY, { at: now() + offset }), SECRET)).task_id).toBe("t1");
  });

  // Source: the tests of https://github.com/standard-webhooks/standard-webhooks.
  it("of the specification's own vector is taken at its moment", async () => {
    const at = 1_614_265_330;
    vi.setSystemTime(at * 1000);
    const headers = {
      "webhook-id": ID,
      "webhook-timestamp": String(at),
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const body = '{"test": 2432232314}';
    expect(signed(body, { at })).toEqual(headers);
    // It is signed, and it is no task's.
    await expect(verifyCallback(body, headers, SECRET)).rejects.toThrow(/is signed/u);
  });
});

/** Whether a callback is refused as such. */
async function isRefused(
  body: string | Uint8Array,
  headers: Record<string, string | undefined>,
  secret = SECRET,
): Promise<boolean> {
  return verifyCallback(body, headers, secret).then(
    () => false,
    (error: unknown) => error instanceof CallbackError,
  );
}

describe("refused is a callback", () => {
  it.each([-302, 302])("that is %i s off the clock", async (offset) => {
    vi.setSystemTime(Date.now());
    expect(await isRefused(BODY, signed(BODY, { at: now() + offset }))).toBe(true);
  });

  it("without one of its headers, and of another secret", async () => {
    for (const name of Object.keys(signed()))
      for (const none of [undefined, ""])
        expect(await isRefused(BODY, { ...signed(), [name]: none })).toBe(true);
    expect(await isRefused(BODY, signed(), OTHER_SECRET)).toBe(true);
  });

  it("that is signed and no task's", async () => {
    for (const body of ["{}", "[]", "null", "text", '{"task_id":1}'])
      expect(await isRefused(body, signed(body))).toBe(true);
  });

  it("whose signature has another spelling", async () => {
    const headers = signed();
    const signature = headers["webhook-signature"];
    for (const each of [
      signature.replace("v1,", "V1,"),
      signature.replace("v1,", ""),
      signature.replace("v1,", "v1a,"),
      signature.replace(/=$/u, ""),
      `${signature.slice(0, 20)}\n${signature.slice(20)}`,
      signature.replace("v1,", "v1,="),
    ])
      expect(await isRefused(BODY, { ...headers, "webhook-signature": each })).toBe(true);
  });

  it("with a secret that is none, in the program's words and without naming it", async () => {
    const error: unknown = await verifyCallback(BODY, signed(), "not base64!").catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain("not base64!");
  });

  it("with any of 200 changes of its body, headers, time or signature", async () => {
    const random = seeded(inject("fuzzSeed"));
    const headers = signed();
    const original = [BODY, ...Object.values(headers)];
    const accepted: object[] = [];
    let count = 0;
    while (count < 200) {
      const [body = "", id = "", time = "", signature = ""] = original.map((each, part) =>
        part === count % 4 ? mutated(each, random) : each,
      );
      if ([body, id, time, signature].join("|") === original.join("|")) continue;
      count += 1;
      const changed = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature };
      if (!(await isRefused(body, changed))) accepted.push({ body, ...changed });
    }
    expect(accepted).toEqual([]);
  });
});

/** A text with one thing different: a character, its length, or its case. */
function mutated(value: string, random: Random): string {
  const at = random.whole(0, value.length - 1);
  const character = String.fromCodePoint(random.whole(32, 126));
  const changes = [
    value.slice(0, at) + character + value.slice(at + 1),
    value.slice(0, at) + character + value.slice(at),
    value.slice(0, at) + value.slice(at + 1),
    value.slice(0, at),
    value.replace(/[a-z]/u, (letter) => letter.toUpperCase()),
    value + value,
  ];
  return changes[random.whole(0, changes.length - 1)] ?? "";
}

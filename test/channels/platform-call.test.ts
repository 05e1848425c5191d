import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerJson,
  busy,
  callForFile,
  callPlatform,
  quoted,
  retryAfterOf,
} from "#src/channels/platform-call.ts";
import { failureOf } from "./environment.ts";

const SECRET = "token-that-is-secret";
const MIB = 1024 * 1024;

/** A call at a platform that responds so. */
const callAt = (fetch: typeof globalThis.fetch) => ({
  fetch,
  label: "Chat",
  url: `https://chat.test/${SECRET}`,
  method: "POST" as const,
});
const answering = (body: BodyInit | null, init?: ResponseInit) =>
  callAt(async () => new Response(body, init));

/** A body of so many bytes, and no word of it in the headers. */
const streamOf = (size: number) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(size));
      controller.close();
    },
  });

describe("a call at a platform", () => {
  it("returns status, headers and body", async () => {
    const answer = await callPlatform(answering('{"a":1}', { status: 429, headers: { "retry-after": "3" } }));
    expect(answer.status).toBe(429);
    expect(retryAfterOf(answer)).toBe(3);
    expect(answerJson(answer, z.object({ a: z.number() }))).toEqual({ a: 1 });
    expect(answerJson(answer, z.object({ b: z.number() }))).toBeUndefined();
  });

  it("follows no redirect", async () => {
    const asked: unknown[] = [];
    await callPlatform(
      callAt(async (_, init) => {
        asked.push(init?.redirect);
        return new Response(null, { status: 302 });
      }),
    );
    expect(asked).toEqual(["manual"]);
  });

  it("fails as unreachable without its address, and says that a send may have happened", async () => {
    const call = callAt(() => Promise.reject(new TypeError(`fetch failed: ${SECRET}`)));
    for (const isSend of [true, false]) {
      const failure = await failureOf(callPlatform({ ...call, isSend }));
      expect(failure).toMatchObject({ kind: "unreachable", mayHaveHappened: isSend });
      expect(`${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toContain(SECRET);
    }
  });

  it("ends after its time, also within the answer", async () => {
    const silent = callAt(
      (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))),
        ),
    );
    const slow = callAt(async (_, init) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      init?.signal?.addEventListener("abort", () => void writable.abort(new Error("aborted")));
      return new Response(readable);
    });
    for (const call of [silent, slow]) {
      const failure = await failureOf(callPlatform({ ...call, timeoutMs: 50 }));
      expect(failure).toMatchObject({ kind: "unreachable", message: "Chat did not answer in time." });
    }
  });

  it("reads no answer above 1 MiB, and no file above its limit, announced or not", async () => {
    expect(await failureOf(callPlatform(answering(streamOf(MIB + 1))))).toMatchObject({
      kind: "unreachable",
    });
    expect(await failureOf(callForFile(answering(streamOf(11)), 10))).toMatchObject({ kind: "refused" });
    expect((await callForFile(answering(streamOf(2 * MIB)), 2 * MIB)).bytes.byteLength).toBe(2 * MIB);
    const announced = answering("x", { headers: { "content-length": "11" } });
    expect(await failureOf(callForFile(announced, 10))).toMatchObject({ kind: "refused" });
  });
});

it("takes no number of seconds that is none", () => {
  const call = { label: "Chat" };
  expect(busy(call, 1.5).retryAfterSeconds).toBe(1.5);
  expect(busy(call, -1).retryAfterSeconds).toBe(0);
  expect(busy(call, Number.NaN).retryAfterSeconds).toBeUndefined();
});

it("quotes a refusal on one line, without secrets", () => {
  expect(quoted(`no\n${SECRET} ${"x".repeat(500)}`, [SECRET, ""])).toMatch(/^no … x{195}$/u);
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChannelAdapter, PLATFORMS, type Self, type WebhookRequest } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import { bytes, get, NOW, post } from "./requests.ts";
import { runs } from "#test/support/soak.ts";

/** More in `npm run soak`. */
const GARBAGE = runs(40);
const SELF: Self = { botId: "1", botName: "bot" };

interface Secrets<Credentials> {
  credentials: Credentials;
  webhookSecret: string;
}

/** A channel as its contract needs it. */
export interface ChannelUnderTest<Credentials> {
  adapter: Omit<ChannelAdapter<Credentials>, "render">;
  secrets: Secrets<Credentials>;
  /** The same with an empty secret, and with another one. */
  missing: Secrets<Credentials>;
  wrong: Secrets<Credentials>;
  /** Requests of the platform's, the first signed as all are. */
  bodies: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Headers that sign a body at a time; undefined where a platform has no webhook. */
  sign: ((body: Uint8Array, seconds: string) => Promise<Record<string, string>>) | undefined;
  /** What the signature covers. */
  signs: { body: boolean; time: boolean };
}

/** What every channel owes the service. */
export function channelContract<Credentials>(channel: ChannelUnderTest<Credentials>): void {
  const { adapter, secrets, missing, wrong, bodies, headers, sign, signs } = channel;
  const unsigned = post(bodies[0] ?? "", headers);
  const signed = async (at = NOW): Promise<WebhookRequest> => {
    const signature = (await sign?.(unsigned.body, String(Math.floor(at / 1000)))) ?? {};
    return { ...unsigned, headers: new Headers({ ...headers, ...signature }) };
  };

  describe(`channel contract: ${adapter.platform}`, () => {
    it("never accepts an unsigned request", async () => {
      for (const body of ["", "{}", ...bodies]) {
        expect(await adapter.verify(post(body, headers), secrets, NOW)).toBe(false);
      }
    });

    it("never accepts a request without its own secret", async () => {
      const request = await signed();
      expect(await adapter.verify(request, missing, NOW)).toBe(false);
      expect(await adapter.verify(request, wrong, NOW)).toBe(false);
      const emptySignature = Object.fromEntries([...request.headers.keys()].map((name) => [name, ""]));
      expect(await adapter.verify(post("", emptySignature), missing, NOW)).toBe(false);
    });

    it("throws nothing but invalid_input for a body that is not the platform's", () => {
      const type = fc.constantFrom("application/json", "application/x-www-form-urlencoded", "");
      const real = fc.constantFrom(...bodies.filter((body) => body.startsWith("{")), "{}");
      const anyBody = fc.oneof(
        fc.uint8Array({ maxLength: 64 }).map((items) => Uint8Array.from(items)),
        fc.string().map(bytes),
        fc.jsonValue().map((value) => bytes(JSON.stringify(value))),
        fc
          .tuple(real, fc.nat(), fc.jsonValue())
          .map(([body, at, value]) => bytes(JSON.stringify(withReplaced(JSON.parse(body), at, value)))),
        fc.constantFrom("", "[", "null", `payload=%7B`, "payload=null", "[".repeat(100_000)).map(bytes),
      );
      fc.assert(
        fc.property(anyBody, type, (body, contentType) => {
          const headersOf = new Headers({ "content-type": contentType });
          const error = thrownBy(() => {
            const request = { ...unsigned, headers: headersOf, body };
            adapter.handshake(request, secrets.credentials);
            adapter.parse(request, SELF, NOW);
          });
          expect(error === undefined || isInvalidInput(error)).toBe(true);
        }),
        { numRuns: GARBAGE },
      );
    });

    it("refuses a GET request or returns a reply without throwing", () => {
      const queries: Record<string, string>[] = [
        {},
        { challenge: "1" },
        { "hub.mode": "subscribe", "hub.challenge": "1" },
      ];
      for (const query of queries) {
        expect(adapter.handshake(get(query), secrets.credentials)).not.toBe(undefined);
      }
    });

    it("has a label and instructions", () => {
      const { credentials } = secrets;
      for (const webhookUrl of ["https://service.test/hook", null]) {
        const steps = adapter.setup({ credentials, webhookUrl });
        expect(steps.filter((step) => !/^[A-Z].*\.$/u.test(step))).toEqual([]);
      }
      expect(adapter.label).not.toBe("");
      expect(PLATFORMS).toContain(adapter.platform);
      expect(adapter.credentials.parse(credentials)).toEqual(credentials);
    });

    if (sign === undefined) return;

    it("accepts what the platform signed", async () => {
      expect(await adapter.verify(await signed(), secrets, NOW)).toBe(true);
    });

    it("accepts a signature that has a time for 300 s, in both directions", async () => {
      const verdicts = [-301, -300, 0, 300, 301].map(async (seconds) =>
        adapter.verify(await signed(NOW + seconds * 1000), secrets, NOW),
      );
      const isAccepted = [!signs.time, true, true, true, !signs.time];
      expect(await Promise.all(verdicts)).toEqual(isAccepted);
    });

    it("refuses a flipped bit anywhere in what is signed, and in the signature", async () => {
      const request = await signed();
      const own = new Set(Object.keys(headers));
      for (const [name, value] of request.headers) {
        if (own.has(name)) continue;
        for (let at = 0; at < value.length; at += 1) {
          for (const bit of [1, 2, 4, 8, 16, 32]) {
            const flipped = String.fromCodePoint((value.codePointAt(at) ?? 0) ^ bit);
            if (!/[!-~]/u.test(flipped)) continue;
            const changed = value.slice(0, at) + flipped + value.slice(at + 1);
            expect(await adapter.verify(withHeader(request, name, changed), secrets, NOW)).toBe(false);
          }
        }
      }
      if (!signs.body) return;
      for (const at of request.body.keys()) {
        const body = request.body.with(at, (request.body[at] ?? 0) ^ (1 << (at % 8)));
        expect(await adapter.verify({ ...request, body }, secrets, NOW)).toBe(false);
      }
    });

    it("refuses what is one byte shorter or longer", async () => {
      const request = await signed();
      for (const [name, value] of request.headers) {
        if (name in headers) continue;
        for (const changed of [value.slice(1), value.slice(0, -1), `0${value}`, `${value}0`]) {
          expect(await adapter.verify(withHeader(request, name, changed), secrets, NOW)).toBe(false);
        }
      }
      if (!signs.body) return;
      for (const body of [request.body.slice(1), request.body.slice(0, -1), bytes(`${bodies[0]} `)]) {
        expect(await adapter.verify({ ...request, body }, secrets, NOW)).toBe(false);
      }
    });
  });
}

function thrownBy(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function isInvalidInput(error: unknown): boolean {
  return error instanceof AppError && error.code === "invalid_input";
}

function withHeader(request: WebhookRequest, name: string, value: string): WebhookRequest {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  return { ...request, headers };
}

/** A JSON value with one of its parts, counted in order, replaced. */
function withReplaced(value: unknown, at: number, replacement: unknown): unknown {
  let count = 0;
  JSON.stringify(value, (_, part: unknown) => {
    count += 1;
    return part;
  });
  const chosen = at % count;
  let seen = -1;
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => {
      seen += 1;
      return seen === chosen ? replacement : part;
    }),
  );
}

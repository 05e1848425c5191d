import { eq, sql } from "drizzle-orm";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { creditReservations, teams } from "#src/db/schema/index.ts";
import { releaseExpired } from "#src/domain/metering/credits/index.ts";
import type { ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import { affordableTokens, worstCost } from "#src/domain/models/prepaid-models/worst-cost.ts";
import { costOf, insertCallOfTeam } from "#src/domain/metering/usage/index.ts";
import type { ModelEvent, ModelRequest } from "#src/models/model.ts";
import { createLog } from "#src/platform/log/log.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";

const database = await fileDatabase();
const { db } = database;
afterEach(() => {
  vi.useRealTimers();
});

const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0 };
const END: ModelEvent = { type: "finished", text: "", toolCalls: [], finishReason: "stop", usage };
const request: ModelRequest = { system: "", messages: [{ role: "user", content: "hello" }], tools: [] };

/** A model that keeps what it is sent, and goes on until it is told to end where `holds`. */
function asked({ id = "gpt-5", isByok = false, holds = false } = {}) {
  const sent: ModelRequest[] = [];
  const chosen: ChosenModel = {
    id,
    isByok,
    model: {
      name: id,
      provider: "openai",
      async *stream(wish, signal) {
        sent.push(wish);
        yield { type: "text_delta", text: "So" };
        if (holds)
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        yield END;
      },
    },
  };
  return { chosen, sent };
}

async function teamWith(credits: number) {
  const { id: userId, personalTeamId: teamId } = await newColleague(db);
  await db.update(teams).set(onlyCredits(credits)).where(eq(teams.id, teamId));
  const reserved = async () =>
    (await db.select().from(teams).where(eq(teams.id, teamId)))[0]?.reservedCredits;
  const rows = () => db.select().from(creditReservations).where(eq(creditReservations.teamId, teamId));
  return { userId, teamId, reserved, rows };
}

const deps = () => ({ db, log: createLog() });
const signal = new AbortController().signal;

describe("a call", () => {
  it.each([{ id: "demo" }, { isByok: true }])("that costs nothing takes no trip: %j", async (free) => {
    const { chosen, sent } = asked(free);
    const before = database.trips.db;
    const model = new PrepaidModel(deps(), chosen, { teamId: crypto.randomUUID() });
    expect(await Array.fromAsync(model.stream(request, signal))).toHaveLength(2);
    await model.end();
    expect([sent, database.trips.db - before]).toEqual([[request], 0]);
  });

  it("asks for no less than it wants where there is enough, and is released with its charge", async () => {
    const team = await teamWith(1000);
    const { chosen, sent } = asked();
    const model = new PrepaidModel(deps(), chosen, team);
    await Array.fromAsync(model.stream(request, signal));
    expect(sent).toEqual([request]);
    // A cent of input, and the 128,000 tokens that GPT-5 writes at most.
    expect([await team.reserved(), model.isBounded]).toEqual([129, false]);
    const charged = await insertCallOfTeam(db, team, model.toCall("proxy", usage));
    expect(charged).toMatchObject({ deducted: 2, balance: 998 });
    await model.end();
    expect([await team.reserved(), await team.rows()]).toEqual([0, []]);
  });

  it("is bounded by the credits left, and refused where they do not pay for a token", async () => {
    const team = await teamWith(5);
    const first = asked();
    const model = new PrepaidModel(deps(), first.chosen, team);
    await Array.fromAsync(model.stream(request, signal));
    expect(first.sent).toEqual([{ ...request, affordableTokens: 4000 }]);
    expect([await team.reserved(), model.isBounded]).toEqual([5, true]);
    const second = asked();
    const other = new PrepaidModel(deps(), second.chosen, team);
    await expect(Array.fromAsync(other.stream(request, signal))).rejects.toMatchObject({
      code: "insufficient_credits",
      message: "The team has no credits left",
    });
    expect(second.sent).toEqual([]);
    await model.end();
    expect([await team.reserved(), await team.rows()]).toEqual([0, []]);
  });

  it("that is made again holds one reservation", async () => {
    const team = await teamWith(1000);
    const model = new PrepaidModel(deps(), asked().chosen, team);
    await Array.fromAsync(model.stream(request, signal));
    await Array.fromAsync(model.stream({ ...request, maxOutputTokens: 1000 }, signal));
    expect([await team.reserved(), (await team.rows()).length]).toEqual([2, 1]);
    await model.end();
    expect(await team.reserved()).toBe(0);
  });

  it("goes on for as long as it is renewed, and ends when its credits were released", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const team = await teamWith(1000);
    const model = new PrepaidModel(deps(), asked({ holds: true }).chosen, team);
    const events = model.stream(request, signal);
    expect((await events.next()).value).toMatchObject({ text: "So" });
    const next = events.next();
    next.catch(() => {});
    const age = () =>
      db
        .update(creditReservations)
        .set({ expiresAt: sql`now() - interval '1 second'` })
        .where(eq(creditReservations.teamId, team.teamId));
    await age();
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    await vi.waitFor(async () =>
      expect((await team.rows())[0]?.expiresAt.getTime()).toBeGreaterThan(Date.now()),
    );
    await releaseExpired(database);
    expect(await team.reserved()).toBe(129);
    await age();
    await releaseExpired(database);
    expect(await team.reserved()).toBe(0);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    await expect(next).rejects.toMatchObject({ code: "insufficient_credits" });
    await model.end();
  });
});

describe("what money pays for", () => {
  const price = fc.record({
    input: fc.integer({ min: 1, max: 15_000 }).map((thousandths) => thousandths / 1000),
    output: fc.integer({ min: 1, max: 120_000 }).map((thousandths) => thousandths / 1000),
  });

  it("is the most tokens whose cost, rounded up, is not above it", () => {
    fc.assert(
      fc.property(price, fc.integer({ min: 1, max: 10_000 }), (each, cents) => {
        const outputTokens = affordableTokens(each, cents);
        expect(outputTokens).toBeGreaterThan(0);
        const cost = (tokens: number) => costOf(each, { inputTokens: 0, outputTokens: tokens }).output;
        expect(cost(outputTokens)).toBeLessThanOrEqual(cents);
        expect(cost(outputTokens + 1)).toBeGreaterThan(cents);
      }),
      // Divided as binary fractions, this price pays for a token less.
      { examples: [[{ input: 0.001, output: 0.017 }, 6_324]] },
    );
  });

  it("is the whole input and a token at least", () => {
    const worst = worstCost({ input: 1, output: 3 }, { inputTokens: 20_000, outputTokens: 100_000 });
    expect(worst).toEqual({ input: 2, least: 3, most: 32 });
    const cached = worstCost(
      { input: 1, output: 3, cacheRead: 0.1, cacheWrite: 2 },
      { inputTokens: 20_000, outputTokens: 0 },
    );
    expect(cached.input).toBe(4);
  });
});

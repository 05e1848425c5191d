import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { jobs, payouts } from "#src/db/schema/index.ts";
import {
  connectAccount,
  payCreator,
  readEarnings,
  releasePayouts,
  sendPayout,
  storePayouts,
  sweepPayouts,
} from "#src/domain/billing/payouts/index.ts";
import { reviewCharge, reviewDispute } from "#src/domain/billing/reversals/index.ts";
import { executeJob } from "#src/work/execute.ts";
import { buyAgent, newPaidAgent, onboard as onboardCreator, type PaidAgent } from "../support/payer.ts";
import { withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps, published } = world;
let agent: PaidAgent;
beforeEach(async () => {
  agent = await newPaidAgent(world.db, 500, "one_time");
});

const transfers = () =>
  world.stripe.list<{ amount: number; amount_reversed: number; destination: string }>("objects/transfer");
/** What has arrived of each transfer. */
const sent = async () =>
  (await transfers()).map((each) => each.amount - each.amount_reversed).toSorted((one, other) => one - other);
const jobOf = (transactionId: string) => world.db.select().from(jobs).where(eq(jobs.key, transactionId));
const payoutsOf = (transactionId: string) =>
  world.db.select().from(payouts).where(eq(payouts.transactionId, transactionId));

/** A sale of the agent for 5 dollars, of which the creator gets 4.50. */
const sell = () => buyAgent(deps(), world.payer, agent);
const onboard = () => onboardCreator(deps(), agent);

const connect = () =>
  connectAccount(deps(), { userId: agent.creator.id, returnOrigin: "https://service.test" });

it("a creator has one account, also after the provider failed to make it and repeats that failure", async () => {
  await world.stripe.control("faults", { faults: [{ call: "POST accounts", status: 500 }] });
  await connect();
  await connect();
  expect(await world.stripe.list("objects/account")).toHaveLength(1);
});

describe("a creator's share", () => {
  it("waits for an account that may receive, and is sent once then", async () => {
    const { transactionId } = await sell();
    await payCreator(deps(), transactionId);
    const pages = await Promise.all([connect(), connect(), connect()]);
    expect(pages[0]?.url).toContain(world.stripe.server.url);
    expect(await world.stripe.list("objects/account")).toHaveLength(1);
    await payCreator(deps(), transactionId);
    expect(await transfers()).toEqual([]);
    expect(await payoutsOf(transactionId)).toMatchObject([{ status: "pending", attempts: 0 }]);

    const accountId = await onboard();
    await releasePayouts(deps(), accountId);
    expect(published).toMatchObject([{ function: "pay-creator", payload: { key: transactionId } }]);
    await Promise.all([1, 2, 3, 4].map(() => payCreator(deps(), transactionId)));
    expect(await transfers()).toMatchObject([{ amount: 450, amount_reversed: 0, destination: accountId }]);
    expect(await payoutsOf(transactionId)).toMatchObject([{ status: "paid", error: null }]);
  });

  it("is sent by its job, which is tried again when the provider fails", async () => {
    const { transactionId } = await sell();
    await onboard();
    await world.db.execute(storePayouts(sql`SELECT ${transactionId}::uuid`));
    await world.stripe.control("faults", { faults: [{ call: "POST transfers", status: 429, times: 9 }] });
    await executeJob(deps(), sendPayout, transactionId);
    expect(await jobOf(transactionId)).toMatchObject([{ attempts: 1, lastError: expect.any(String) }]);
    expect(await transfers()).toEqual([]);
    await world.stripe.control("faults", { faults: [] });
    await world.db.update(jobs).set({ dueAt: sql`now()` });
    await executeJob(deps(), sendPayout, transactionId);
    expect(await sent()).toEqual([450]);
    expect(await jobOf(transactionId)).toEqual([]);
  });

  it("that is overdue and has no job gets one each hour; one that was given up is left to people", async () => {
    const { transactionId } = await sell();
    await onboard();
    await sweepPayouts(deps());
    expect(await jobOf(transactionId)).toEqual([]);
    await world.db.update(payouts).set({ createdAt: sql`now() - interval '1 hour'` });
    await sweepPayouts(deps());
    expect(await jobOf(transactionId)).toMatchObject([{ failedAt: null }]);
    await world.db.update(jobs).set({ failedAt: sql`now()` });
    await sweepPayouts(deps());
    expect(await jobOf(transactionId)).toMatchObject([{ failedAt: expect.any(Date) }]);
  });

  it("is taken back from the transfer in proportion, and then the rest", async () => {
    const { transactionId, chargeId } = await sell();
    await onboard();
    await payCreator(deps(), transactionId);
    for (const [amount, left] of [
      [200, 270],
      [300, 0],
    ]) {
      await world.refund(chargeId, amount);
      await reviewCharge(deps(), chargeId);
      await Promise.all([1, 2, 3].map(() => payCreator(deps(), transactionId)));
      expect(await sent()).toEqual([left]);
    }
    expect(await payoutsOf(transactionId)).toMatchObject([{ status: "reversed", reversedCents: 450 }]);
  });

  it("is never sent when all of it went back before", async () => {
    const { transactionId, chargeId } = await sell();
    await world.refund(chargeId);
    await reviewCharge(deps(), chargeId);
    await onboard();
    await payCreator(deps(), transactionId);
    expect(await transfers()).toEqual([]);
    expect(await payoutsOf(transactionId)).toMatchObject([{ status: "reversed" }]);
  });

  it("is sent again when a dispute is won", async () => {
    const { transactionId, chargeId } = await sell();
    await onboard();
    await payCreator(deps(), transactionId);
    const id = await world.dispute(chargeId);
    await reviewDispute(deps(), id);
    await payCreator(deps(), transactionId);
    await world.stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await reviewDispute(deps(), id);
    await payCreator(deps(), transactionId);
    await payCreator(deps(), transactionId);
    expect(await sent()).toEqual([0, 450]);
  });

  it("is in the earnings, by agent, less what went back", async () => {
    const [{ transactionId }, { chargeId }] = [await sell(), await sell()];
    await onboard();
    await payCreator(deps(), transactionId);
    await world.refund(chargeId, 250);
    await reviewCharge(deps(), chargeId);
    const earnings = await readEarnings(deps(), agent.creator.id, { from: new Date(0) });
    expect(earnings).toMatchObject({
      total: 675,
      paid: 450,
      pending: 225,
      sales: 2,
      byAgent: { [agent.id]: { sales: 2, revenue: 675 } },
    });
    const before = await readEarnings(deps(), agent.creator.id, { from: new Date(0), to: new Date(1) });
    expect(before).toMatchObject({ total: 0, paid: 0, pending: 0, sales: 0, byAgent: {} });
  });
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { checkouts } from "#src/db/schema/index.ts";
import { reviewCharge, reviewDispute } from "#src/domain/billing/reversals/index.ts";
import { bookInvoice, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";
import { bookSale, buyCredits, storedSubscription, subscribeAt, transactionsOf } from "../support/payer.ts";
import { withPayer } from "../support/with-payer.ts";

const world = await withPayer();
const { deps } = world;
const review = (chargeId: string) => reviewCharge(deps(), chargeId);
/** All of a charge, or a part of it, goes back, and the service hears of it. */
const refund = async (chargeId: string, amount?: number) => {
  await world.refund(chargeId, amount);
  await review(chargeId);
};
const sync = (id: string) => syncSubscription(deps(), id);
const purchased = async () => (await world.team()).purchasedCredits;
const leave = (purchasedCredits: number) => world.setTeam({ purchasedCredits });
const statusOf = async (id: string) =>
  (await world.db.select().from(checkouts).where(eq(checkouts.id, id)))[0]?.status;
const booked = () => transactionsOf(world.db, world.payer);

/** A subscription to Pro whose first payment is booked. Returns its id and the charge. */
async function paidPro() {
  const id = await subscribeAt(deps(), world.payer, "price_pro");
  await sync(id);
  await bookInvoice(deps(), await world.lastInvoiceOf(id));
  return { id, chargeId: await world.chargeOf(id) };
}

const stored = (id: string) => storedSubscription(world.db, id);

describe("a refund", () => {
  it("takes back credits in proportion, once, and then the rest", async () => {
    const { chargeId, checkoutId, transactionId } = await buyCredits(deps(), world.payer, 2_500);
    await review(chargeId);
    expect(await purchased()).toBe(2_500);
    await world.refund(chargeId, 1_000);
    await Promise.all([review(chargeId), review(chargeId), review(chargeId)]);
    expect(await purchased()).toBe(1_500);
    expect(await statusOf(checkoutId)).toBe("paid");
    await refund(chargeId);
    expect(await purchased()).toBe(0);
    expect(await statusOf(checkoutId)).toBe("refunded");
    expect(await booked()).toMatchObject([
      { id: transactionId, amountCents: 2_500, reversedCents: 2_500, reversedCredits: 2_500 },
      { type: "refund", amountCents: -1_000, credits: -1_000, reversesId: transactionId },
      { type: "refund", amountCents: -1_500, credits: -1_500, reversesId: transactionId },
    ]);
  });

  it("takes no more credits than are left, and the rest once there are credits again", async () => {
    const { chargeId, transactionId } = await buyCredits(deps(), world.payer, 500);
    await leave(100);
    await refund(chargeId);
    expect(await purchased()).toBe(0);
    await leave(1_000);
    for (const _ of ["once", "again"]) {
      await review(chargeId);
      expect(await purchased()).toBe(600);
    }
    expect((await booked()).find(({ id }) => id === transactionId)).toMatchObject({
      reversedCents: 500,
      reversedCredits: 500,
    });
  });

  it("ends a deployment slot only when all of it is back", async () => {
    const sale = { type: "deploy_purchase", item: "slot", amountCents: 1_000 } as const;
    const { chargeId } = await bookSale(deps(), world.payer, sale, { type: "deploy_purchase" });
    await world.setTeam({ deploySlots: 1 });
    await refund(chargeId, 400);
    expect((await world.team()).deploySlots).toBe(1);
    await refund(chargeId);
    await review(chargeId);
    expect((await world.team()).deploySlots).toBe(0);
  });

  it("of a subscription's payment that another payment follows in the same period gives the tier back with its credits", async () => {
    const { id, chargeId } = await paidPro();
    await refund(chargeId);
    expect(await world.standing()).toEqual(["free", 0]);
    await world.changePrice(id, "price_pro_annual");
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
  });

  it("of a subscription's current payment ends the tier until the next one: no invoice of nothing lifts it, whichever comes first", async () => {
    const { id, chargeId } = await paidPro();
    await world.changePrice(id);
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
    await refund(chargeId);
    expect(await world.standing()).toEqual(["free", 0]);
    await world.changePrice(id);
    await sync(id);
    expect(await world.standing()).toEqual(["free", 0]);
    await world.advance(id);
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
  });

  it("is lifted by no invoice that is not paid, in the same period or the next", async () => {
    const { id, chargeId } = await paidPro();
    await refund(chargeId);
    await world.cardFails();
    await world.advance(id);
    await sync(id);
    expect(await stored(id)).toMatchObject({ status: "past_due" });
    expect(await world.standing()).toEqual(["free", 0]);
    await world.payOverdue();
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
  });

  it("in two parts ends the tier only with the second, also behind an invoice of nothing", async () => {
    const { id, chargeId } = await paidPro();
    await world.changePrice(id);
    await refund(chargeId, 900);
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
    await refund(chargeId);
    expect(await world.standing()).toEqual(["free", 0]);
  });

  it("of one of two tiers is lifted by its next payment with its credits, beside the other tier", async () => {
    const { id, chargeId } = await paidPro();
    await sync(await subscribeAt(deps(), world.payer, "price_basic"));
    await refund(chargeId);
    expect((await world.standing())[0]).toBe("basic");
    await world.cardFails();
    await world.advance(id);
    await sync(id);
    expect((await world.standing())[0]).toBe("basic");
    await world.setTeam({ bundledCredits: 3 });
    await world.payOverdue();
    await sync(id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
  });

  it("of a payment that is not booked yet is refused until it is; that of another service is left out", async () => {
    const { chargeId } = await buyCredits(deps(), world.payer, 500);
    const [sale] = await booked();
    await world.db.execute(`DELETE FROM transactions WHERE id = '${sale?.id ?? ""}'`);
    await world.refund(chargeId);
    await expect(review(chargeId)).rejects.toMatchObject({ code: "not_ready" });
    await world.setTeam({ stripeCustomerId: null });
    await world.db.execute(`DELETE FROM checkouts WHERE team_id = '${world.payer.teamId}'`);
    await expect(review(chargeId)).resolves.toBeUndefined();
  });
});

describe("a dispute", () => {
  it("takes back what was bought while it is open, and restores it when it is won, also without its events", async () => {
    const { chargeId, checkoutId } = await buyCredits(deps(), world.payer, 500);
    const id = await world.dispute(chargeId);
    await review(chargeId);
    await reviewDispute(deps(), id);
    expect(await purchased()).toBe(0);
    await world.stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await review(chargeId);
    expect(await purchased()).toBe(500);
    await reviewDispute(deps(), id);
    expect(await purchased()).toBe(500);
    expect(await statusOf(checkoutId)).toBe("paid");
    expect((await booked()).map(({ type, credits }) => [type, credits])).toEqual([
      ["credit_purchase", 500],
      ["refund", -500],
      ["restored", 500],
    ]);
  });

  it("that is lost changes nothing more", async () => {
    const { chargeId } = await buyCredits(deps(), world.payer, 500);
    const id = await world.dispute(chargeId);
    await reviewDispute(deps(), id);
    await world.stripe.control(`disputes/${id}/close`, { outcome: "lost" });
    await reviewDispute(deps(), id);
    expect(await purchased()).toBe(0);
    expect(await booked()).toHaveLength(2);
  });

  it("of a subscription's payment takes the tier, whichever invoices of nothing come, and gives it back with its credits when it is won", async () => {
    const { id: subscription, chargeId } = await paidPro();
    await world.changePrice(subscription);
    await sync(subscription);
    const id = await world.dispute(chargeId);
    await reviewDispute(deps(), id);
    expect(await world.standing()).toEqual(["free", 0]);
    await world.changePrice(subscription);
    await sync(subscription);
    expect(await world.standing()).toEqual(["free", 0]);
    await world.stripe.control(`disputes/${id}/close`, { outcome: "won" });
    await reviewDispute(deps(), id);
    expect(await world.standing()).toEqual(["pro", 2_000]);
  });
});

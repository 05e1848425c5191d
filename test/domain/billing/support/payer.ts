import { eq, sql } from "drizzle-orm";
import { checkouts, payouts, subscriptions, teams, transactions, users } from "#src/db/schema/index.ts";
import { connectAccount } from "#src/domain/billing/payouts/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createPayments } from "#src/platform/payments/index.ts";
import type { Metadata, Payments } from "#src/platform/payments/payments.ts";
import type { TestStripe } from "#test/stand-ins/support/stripe.ts";
import { type Colleague, newColleague } from "#test/support/colleagues.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { listAgent } from "#test/support/marketplace.ts";

/** What billing goes by: the prices are those of `startTestStripe`. */
export const BILLING = {
  STRIPE_BASIC_PRICE_ID: "price_basic",
  STRIPE_PRO_PRICE_ID: "price_pro",
  STRIPE_PRO_ANNUAL_PRICE_ID: "price_pro_annual",
  BILLING_GRACE_DAYS: 7,
  TIER_DAILY_CREDITS_FREE: 5,
  TIER_BUNDLED_CREDITS_BASIC: 500,
  TIER_BUNDLED_CREDITS_PRO: 2_000,
  TIER_BUNDLED_CREDITS_ULTRA: 8_000,
  CREATOR_REVENUE_SHARE: 0.9,
  APP_BASE_URL: "https://app.service.test",
};

/** The provider of payments in front of a stand-in. */
export function paymentsAt({ server }: TestStripe, via: typeof fetch = fetch): Payments {
  return createPayments({
    secretKey: server.secretKey,
    webhookSecrets: [server.webhookSecret],
    apiBaseUrl: server.url,
    timeoutMs: HANGS_MS,
    fetch: via,
  });
}

/** A personal team that is a customer at the stand-in. */
export interface Payer extends Colleague {
  teamId: string;
  customerId: string;
}

export async function newPayer(db: Db, payments: Payments): Promise<Payer> {
  const person = await newColleague(db, "payer");
  const teamId = person.personalTeamId;
  const customerId = await payments.createCustomer({ metadata: { team_id: teamId } }, `customer-${teamId}`);
  await db.update(teams).set({ stripeCustomerId: customerId }).where(eq(teams.id, teamId));
  return { ...person, teamId, customerId };
}

interface Parts {
  db: Db;
  payments: Payments;
  stripe: TestStripe;
}

type Sale = Pick<typeof checkouts.$inferInsert, "type" | "item" | "amountCents"> & { priceId?: string };

/** Has a team pay for something at the stand-in, with a checkout as the service makes it. Returns the paid session. */
async function buy(parts: Parts, payer: Payer, { metadata = {}, ...sale }: Sale & { metadata?: Metadata }) {
  const id = newId();
  const isRepeated = sale.type === "subscription" || metadata["pricing_type"] === "monthly";
  await parts.db.insert(checkouts).values({
    id,
    teamId: payer.teamId,
    userId: payer.id,
    customerId: payer.customerId,
    currency: "usd",
    returnOrigin: "https://service.test",
    terms: { name: sale.item, metadata: {}, successPath: "/success", cancelPath: "/back" },
    ...sale,
  });
  const { name, currency } = { name: sale.item, currency: "usd" };
  const interval = isRepeated && { interval: "month" as const };
  const wish = {
    mode: isRepeated ? ("subscription" as const) : ("payment" as const),
    customerId: payer.customerId,
    item: sale.priceId
      ? { priceId: sale.priceId }
      : { name, amountCents: sale.amountCents, currency, ...interval },
    reference: id,
    metadata: { type: sale.type, team_id: payer.teamId, ...metadata },
    successUrl: "https://service.test/success",
    cancelUrl: "https://service.test/back",
  };
  const { id: sessionId } = await parts.payments.createCheckoutSession(wish, `checkout-${id}`);
  await parts.stripe.control(`sessions/${sessionId}/pay`);
  const session = await parts.payments.getCheckoutSession(sessionId);
  if (session?.paymentStatus !== "paid") throw new Error("The session was not paid");
  return { checkoutId: id, session };
}

const CENTS = { price_basic: 2_000, price_pro: 4_900, price_pro_annual: 58_800 };

/** Has a team subscribe to a price at the stand-in; nothing of it is known to the service yet. */
export async function subscribeAt(parts: Parts, payer: Payer, priceId: keyof typeof CENTS): Promise<string> {
  const sale = { type: "subscription", item: priceId, amountCents: CENTS[priceId], priceId } as const;
  const { session } = await buy(parts, payer, sale);
  return session.subscriptionId ?? "";
}

export async function teamOf(db: Db, { teamId }: Payer) {
  const [team] = await db.select().from(teams).where(eq(teams.id, teamId));
  if (!team) throw new Error("The team is gone");
  return team;
}

/** A team's tier and bundled credits. */
export async function standingOf(db: Db, payer: Payer): Promise<[string, number]> {
  const { subscriptionTier, bundledCredits } = await teamOf(db, payer);
  return [subscriptionTier, bundledCredits];
}

export async function storedSubscription(db: Db, subscriptionId: string) {
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.subscriptionId, subscriptionId));
  return row;
}

export function transactionsOf(db: Db, { teamId }: Payer) {
  return db.select().from(transactions).where(eq(transactions.teamId, teamId)).orderBy(transactions.id);
}

/** An agent of a creator's team that is paid monthly. */
export async function newPaidAgent(
  db: Db,
  priceCents: number,
  pricingType: "monthly" | "one_time" = "monthly",
) {
  const creator = await newColleague(db, "creator");
  const made = { teamId: creator.personalTeamId, createdBy: creator.id };
  const { id } = await listAgent(db, { ...made, pricingType, priceCents });
  return { id, creator, priceCents };
}

export type PaidAgent = Awaited<ReturnType<typeof newPaidAgent>>;

/** Has a team subscribe to an agent at the stand-in; nothing of it is known to the service yet. */
export async function subscribeToAgent(parts: Parts, payer: Payer, agent: PaidAgent): Promise<string> {
  const { session } = await buy(parts, payer, {
    type: "agent_purchase",
    item: agent.id,
    amountCents: agent.priceCents,
    metadata: { agent_id: agent.id, pricing_type: "monthly" },
  });
  return session.subscriptionId ?? "";
}

/** A team buys an agent. Nine tenths of the price are to be paid out to its creator. */
export async function buyAgent(parts: Parts, payer: Payer, { id, creator, priceCents }: PaidAgent) {
  const sale = { type: "agent_purchase", item: id, amountCents: priceCents } as const;
  const amountCents = priceCents * 0.9;
  const sold = await bookSale(parts, payer, sale, {
    agentId: id,
    creatorId: creator.id,
    creatorCents: amountCents,
  });
  const { transactionId } = sold;
  await parts.db
    .insert(payouts)
    .values({ id: newId(), transactionId, creatorId: creator.id, amountCents, currency: "usd" });
  return sold;
}

/** Has a creator introduce themself to the provider. Returns the id of the account. */
export async function onboard({ db, payments, stripe }: Parts, { creator }: PaidAgent): Promise<string> {
  const parts = { db, payments, log: createLog() };
  await connectAccount(parts, { userId: creator.id, returnOrigin: "https://service.test" });
  const [row] = await db.select().from(users).where(eq(users.id, creator.id));
  const accountId = row?.stripeAccountId ?? "";
  await stripe.control(`accounts/${accountId}/onboard`);
  return accountId;
}

/** Has a team buy a package of credits, booked as the service books it. Returns its charge and its transaction. */
export async function buyCredits(parts: Parts, payer: Payer, credits: number) {
  const sale = { type: "credit_purchase", item: "small", amountCents: credits } as const;
  return bookSale(parts, payer, sale, { credits });
}

/** Has a team buy something at the stand-in, and books it. What it grants, beyond credits, is up to the test. */
export async function bookSale(
  parts: Parts,
  payer: Payer,
  sale: Sale,
  { credits = 0, ...more }: Partial<typeof transactions.$inferInsert>,
) {
  const { checkoutId, session } = await buy(parts, payer, sale);
  const paymentIntentId = session.paymentIntentId ?? "";
  const chargeId = (await parts.payments.getPaymentIntent(paymentIntentId))?.chargeId ?? "";
  const transactionId = newId();
  await parts.db.batch([
    parts.db.insert(transactions).values({
      id: transactionId,
      teamId: payer.teamId,
      userId: payer.id,
      checkoutId,
      type: sale.type === "agent_purchase" ? "one_time" : "credit_purchase",
      amountCents: sale.amountCents,
      platformCents: sale.amountCents - (more.creatorCents ?? 0),
      currency: "usd",
      credits,
      paymentIntentId,
      ...more,
    }),
    parts.db
      .update(teams)
      .set({ purchasedCredits: sql`${teams.purchasedCredits} + ${credits}` })
      .where(eq(teams.id, payer.teamId)),
    parts.db.update(checkouts).set({ status: "paid" }).where(eq(checkouts.id, checkoutId)),
  ]);
  return { checkoutId, transactionId, chargeId };
}

/** Reads a payer with all that was sold to it. Returns what puts exactly these rows back into the emptied tables. */
export async function keepPayer(db: Db, { id, teamId }: Payer): Promise<() => Promise<void>> {
  const [people, groups, sold, held, moved] = await db.batch([
    db.select().from(users).where(eq(users.id, id)),
    db.select().from(teams).where(eq(teams.id, teamId)),
    db.select().from(checkouts).where(eq(checkouts.teamId, teamId)),
    db.select().from(subscriptions).where(eq(subscriptions.teamId, teamId)),
    db.select().from(transactions).where(eq(transactions.teamId, teamId)),
  ]);
  return async () => {
    await db.batch([
      db.insert(users).values(people),
      db.insert(teams).values(groups),
      db.insert(checkouts).values(sold),
      db.insert(subscriptions).values(held),
      db.insert(transactions).values(moved),
    ]);
  };
}

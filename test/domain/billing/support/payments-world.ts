import { and, desc, eq, sql } from "drizzle-orm";
import { afterAll } from "vitest";
import { z } from "zod";
import { billingVariables } from "#src/configuration/variables/billing.ts";
import { creditVariables } from "#src/configuration/variables/credits.ts";
import { auditLog, checkouts, teams, transactions } from "#src/db/schema/index.ts";
import { handleEvent } from "#src/domain/billing/payment-events/index.ts";
import { buyCredits, createCheckout } from "#src/domain/billing/checkouts/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob } from "#src/work/execute.ts";
import { startTestStripe, type TestStripe } from "#test/stand-ins/support/stripe.ts";
import { newColleague, type Colleague } from "#test/support/colleagues.ts";
import { queueTo } from "#test/support/kept-queue.ts";
import { makeTripsMortal, outside } from "#test/support/mortal.ts";
import { fileDatabase } from "#test/support/database.ts";
import { paymentsAt } from "./payer.ts";

/** A configuration with every default. */
const config = z.object({ ...billingVariables, ...creditVariables }).parse({});

/**
 * Payments on a real database and the stand-in, without a service: its events go nowhere, and a test hands them on itself.
 * Every call to the outside is one at which a program can be killed, see `runMortal`.
 */
export class PaymentsWorld {
  readonly db: Db;
  readonly account: TestStripe;
  readonly published: QueueMessage[] = [];
  readonly payments: Payments;

  /** For all tests of a file, which closes it at its end. */
  static async open(): Promise<PaymentsWorld> {
    const { db } = await fileDatabase();
    const account = await startTestStripe();
    afterAll(() => account.close());
    return new PaymentsWorld(db, account);
  }

  private constructor(db: Db, account: TestStripe) {
    this.db = db;
    this.account = account;
    this.payments = paymentsAt(account, (input, init) => outside(() => fetch(input, init)));
    makeTripsMortal();
  }

  /** What the service has. */
  deps(changed: { payments?: Payments | undefined } = {}) {
    const accept = (messages: readonly QueueMessage[]) =>
      outside(async () => void this.published.push(...messages));
    return {
      db: this.db,
      payments: this.payments,
      log: createLog(),
      queue: queueTo(accept),
      config,
      ...changed,
    };
  }

  /** Handles an event, as if the pause before its next attempt had passed. */
  async handle(eventId: string): Promise<void> {
    await this.db.execute(sql`UPDATE jobs SET due_at = now() WHERE key = ${eventId}`);
    await executeJob(this.deps(), handleEvent, eventId);
  }

  /** A person, for whose personal team things are bought. */
  newBuyer(): Promise<Colleague> {
    return newColleague(this.db);
  }

  /** Opens a page for a package of credits. */
  buy(
    { id: userId, personalTeamId: teamId }: Colleague,
    name: "small" | "medium" = "small",
    deps = this.deps(),
  ) {
    return buyCredits(deps, { userId, teamId, returnOrigin: "http://service.test" }, name);
  }

  /** Opens a page for an agent that costs five dollars. */
  checkoutOfAgent(
    { id: userId, personalTeamId: teamId }: Colleague,
    agentId: string,
    more: Partial<Parameters<typeof createCheckout>[1]> = {},
  ) {
    return createCheckout(this.deps(), {
      userId,
      teamId,
      returnOrigin: "http://service.test",
      type: "agent_purchase",
      item: agentId,
      name: "Agent",
      amountCents: 500,
      currency: "usd",
      metadata: { agent_id: agentId },
      paths: { success: "/success", cancel: "/back" },
      ...more,
    });
  }

  /** Does what the payer or the bank does, see `stand-ins/stripe/controls.ts`. */
  async control(path: string, fields: object = {}): Promise<void> {
    const response = await this.account.control(path, fields);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }

  async team({ personalTeamId }: Pick<Colleague, "personalTeamId">) {
    const [team] = await this.db.select().from(teams).where(eq(teams.id, personalTeamId));
    if (!team) throw new Error("There is no team");
    return team;
  }

  /** The team's checkouts, newest first. */
  checkoutsOf({ personalTeamId }: Pick<Colleague, "personalTeamId">) {
    const ofTeam = eq(checkouts.teamId, personalTeamId);
    return this.db
      .select()
      .from(checkouts)
      .where(ofTeam)
      .orderBy(desc(checkouts.createdAt), desc(checkouts.id));
  }

  transactionsOf({ personalTeamId }: Pick<Colleague, "personalTeamId">) {
    return this.db.select().from(transactions).where(eq(transactions.teamId, personalTeamId));
  }

  /** Entries of the team's log about payments. */
  auditOf({ personalTeamId }: Pick<Colleague, "personalTeamId">) {
    return this.db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.teamId, personalTeamId), eq(auditLog.resourceType, "checkout")));
  }
}

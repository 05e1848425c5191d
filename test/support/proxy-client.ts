import { eq } from "drizzle-orm";
import { APIError, OpenAI } from "openai";
import { teams, usageLogs, users } from "#src/db/schema/index.ts";
import { databaseOf } from "./database.ts";
import type { SharedService } from "./shared-service.ts";

export interface ProxyClientInput {
  /** All the cents that there are; those of a new account when absent. */
  credits?: number;
  /** Permissions of the key; all when absent. */
  scopes?: string[];
}

/** A new person with a key and OpenAI's own client for it. */
export async function newProxyClient(service: SharedService, { credits, scopes }: ProxyClientInput = {}) {
  const account = await service.signUp();
  const own = { token: account.token };
  const made = await service.call<{ key: string }>("POST", "/api/external-api-keys", {
    ...own,
    json: { name: "key", scopes: scopes ?? null },
  });
  const db = databaseOf(service);
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  const teamId = String(user?.defaultTeamId);
  if (credits !== undefined) {
    await db.update(teams).set(onlyCredits(credits)).where(eq(teams.id, teamId));
  }
  const { key } = made.body;
  return {
    account,
    key,
    teamId,
    client: new OpenAI({ apiKey: key, baseURL: `${service.url}/api/v1`, maxRetries: 0 }),
    calls: () => db.select().from(usageLogs).where(eq(usageLogs.userId, account.id)),
    balance: async () => {
      const { body } = await service.call<{ total_credits: number }>("GET", "/api/billing/credits", own);
      return body.total_credits;
    },
  };
}

/** A team that has so many purchased credits and no others, and is given none while a test runs. */
export function onlyCredits(purchasedCredits: number) {
  const later = new Date(Date.now() + 7 * 24 * 60 * 60 * 1000);
  return {
    dailyCredits: 0,
    dailyCreditsResetAt: later,
    bundledCredits: 0,
    creditsResetAt: later,
    signupBonusCredits: 0,
    purchasedCredits,
  };
}

/** The error of a call that is to fail, as the client says it. */
export async function failureOf(call: Promise<unknown>): Promise<APIError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof APIError))
    throw new Error("It did not fail as the client says it", { cause: error });
  return error;
}

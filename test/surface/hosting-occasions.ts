import { eq, sql } from "drizzle-orm";
import { deployments } from "#src/db/schema/index.ts";
import type { ApiRequest } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import type { Estate } from "./estate.ts";

interface Scene {
  service: SharedService;
  estate: Estate;
}

interface Occasion extends ApiRequest {
  address?: string;
}

const OAUTH = "/api/deployment-oauth";

/** Preparations for the operations on hosting accounts that need more than a valid request to succeed. */
export const HOSTING_OCCASIONS: Record<string, (scene: Scene) => Promise<Occasion> | Occasion> = {
  "POST /api/deployment-credentials": ({ estate: { samples } }) => {
    const { access_token, project_id } = samples;
    return { json: { provider: "vercel", access_token, project_id } };
  },
  // Back from the provider's page, where the person declined.
  [`GET ${OAUTH}/{hosting_provider}/callback`]: async ({ service, estate }) => {
    const own = browser(service);
    const { token } = estate.owner;
    const begun = await own.call<{ auth_url: string }>("GET", `${OAUTH}/vercel/authorize`, { token });
    const state = new URL(begun.body.auth_url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, error: "access_denied" });
    return {
      address: `${OAUTH}/vercel/callback?${query}`,
      headers: { cookie: `session=${token}; deploy_oauth_state=${own.cookies.get("deploy_oauth_state")}` },
    };
  },
  // One that waits, since the stand-in may be done before it is cancelled.
  "POST /api/deployments/{deployment}/cancel": async ({ service, estate: { samples } }) => {
    const id = String(samples["deployment"]);
    await databaseOf(service)
      .update(deployments)
      .set({ status: "pending", completedAt: null, dueAt: sql`now() + interval '1 hour'` })
      .where(eq(deployments.id, id));
    return {};
  },
};

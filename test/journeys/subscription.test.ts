import { expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const ask = ({ token }: Account, method: "GET" | "POST", path: string) =>
  service.call<Record<string, unknown>>(method, `/api/billing/${path}`, { token });

it("a team without a subscription is in the free tier, and has nothing to change", async () => {
  const { owner } = await newTeamClient(service);
  expect(await ask(owner, "GET", "subscription")).toMatchObject({
    status: 200,
    body: {
      tier: "free",
      is_active: false,
      subscription_id: null,
      cancel_at_period_end: false,
      monthly_allowance: 0,
      max_deploys: 1,
      byok_enabled: false,
      support_tier: "community",
    },
  });
  for (const [method, path] of [
    ["POST", "cancel"],
    ["POST", "cancel?at_period_end=false"],
    ["POST", "renew"],
    ["GET", "portal"],
  ] as const) {
    expect(await ask(owner, method, path)).toMatchObject({
      status: 400,
      body: { detail: expect.any(String) },
    });
  }
});

it("a creator connects an account at the payment provider, and has earned nothing yet", async () => {
  const { owner } = await newTeamClient(service);
  const { status, body } = await ask(owner, "POST", "connect");
  expect(status).toBe(200);
  const page = await fetch(String(body["url"]));
  expect(page.status).toBe(200);
  expect(await ask(owner, "GET", "earnings")).toMatchObject({
    status: 200,
    body: { total_revenue_cents: 0, paid_revenue_usd: 0, total_requests: 0, by_agent: {} },
  });
});

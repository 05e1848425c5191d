import type { Addresses } from "#local/addresses.ts";
import { apiClient } from "#test/support/api-client.ts";
import { payerOf } from "#test/support/payer.ts";
import { newPerson, type Person } from "./person.ts";
import { reachOut } from "./reach-out.ts";
import { newProjects, type Made } from "./projects.ts";

/** What a filled service has, by the names that addresses use. */
export type Content = Awaited<ReturnType<typeof fill>>;

/** Fills a new service with what a small nursery and its web shop would have there. */
export async function fill(addresses: Addresses) {
  const service = apiClient(addresses.url);
  const owner = await newPerson(service, "ada", "Ada Byron");
  const team = await owner.ask<Made>("POST", "/api/teams", { name: "Garden Cooperative" });
  await owner.ask("POST", `/api/teams/${team.slug}/switch`);
  const join = async (name: string, shown: string, role: string) => {
    const person = await newPerson(service, name, shown);
    const { invite_url: url } = await owner.ask<{ invite_url: string }>(
      "POST",
      `/api/teams/${team.slug}/members/link`,
      { role, max_uses: 1 },
    );
    await person.ask("POST", `/api/teams/invitations/${url.split("/").at(-1)}/accept`);
    await person.ask("POST", `/api/teams/${team.slug}/switch`);
    return person;
  };
  await join("grace", "Grace Murray", "admin");
  await join("linus", "Linus Pauling", "editor");
  const viewer = await join("vera", "Vera Rubin", "viewer");
  await owner.ask("POST", `/api/teams/${team.slug}/members/invite`, {
    email: "barbara@garden.example",
    role: "editor",
  });
  const newcomer = await newPerson(service, "noor", "Noor Inayat");
  await buy(addresses, owner);

  const projects = await newProjects(owner);
  return {
    owner,
    viewer: viewer.account,
    /** Has nothing yet. */
    newcomer: newcomer.account,
    ...projects,
    ...(await reachOut(addresses, owner, projects.shop)),
  };
}

async function buy(addresses: Addresses, owner: Person): Promise<void> {
  const payer = payerOf({ stack: { ...(addresses.stripeUrl && { stripeUrl: addresses.stripeUrl }) } });
  for (const [path, wish] of [
    ["subscribe", { tier: "pro" }],
    ["credits/purchase", { package: "small" }],
  ] as const) {
    const page = await owner.ask<{ session_id: string }>("POST", `/api/billing/${path}`, wish);
    await payer.pay(page.session_id);
  }
  await owner.until<{ tier: string }>("/api/billing/subscription", ({ tier }) => tier === "pro");
}

import { vi } from "vitest";
import { z } from "zod";
import { browser } from "#test/support/browser.ts";
import type { Account, ApiRequest } from "#test/support/api-client.ts";
import { codeIn, linkIn } from "#test/support/mailbox.ts";
import type { TestService } from "#test/support/service.ts";
import { newSharedEstate, type Estate } from "./estate.ts";

/** What a request must hold, or where it must go, to succeed. */
interface Occasion extends ApiRequest {
  at?: TestService;
  address?: string;
}

interface Scene {
  service: TestService;
  /** The same where a password is not enough. */
  twoFactor: TestService;
  estate: Estate;
}

/** What must have happened before an operation succeeds whose schema does not tell. */
export const OCCASIONS: Record<string, (scene: Scene) => Promise<Occasion> | Occasion> = {
  "POST /api/auth/register": () => ({
    json: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse" },
  }),
  "POST /api/auth/login": ({ estate }) => ({ json: estate.owner }),
  "POST /api/auth/jwt/login": ({ estate }) => ({ form: formOf(estate.owner) }),
  "POST /api/auth/cookie/login": ({ estate }) => ({ form: formOf(estate.owner) }),
  "POST /api/auth/refresh": async ({ service, estate }) => {
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: estate.owner });
    return { headers: { cookie: `refresh_token=${own.cookies.get("refresh_token")}` } };
  },
  "POST /api/auth/2fa/send": async ({ twoFactor }) => {
    const { temp_token } = await awaitsCode(twoFactor);
    return { at: twoFactor, json: { temp_token } };
  },
  "POST /api/auth/2fa/verify": async ({ twoFactor }) => {
    const { temp_token, account } = await awaitsCode(twoFactor);
    const code = codeIn(await mailTo(twoFactor, account.email, /code/iu));
    return { at: twoFactor, json: { temp_token, code } };
  },
  "POST /api/auth/reset-password": async ({ service, estate }) => {
    const { email } = estate.owner;
    await service.call("POST", "/api/auth/forgot-password", { json: { email } });
    const { token } = linkIn(await mailTo(service, email, /password/iu));
    return { json: { token, password: "another horse" } };
  },
  "POST /api/auth/verify": async ({ service, estate }) => {
    const { token } = linkIn(await mailTo(service, estate.owner.email, /verif|confirm|address/iu));
    return { json: { token } };
  },
  "GET /api/auth/{provider}/callback": async ({ service }) => {
    const own = browser(service);
    const begun = await own.call<{ authorization_url: string }>("GET", "/api/auth/github/authorize");
    const state = new URL(begun.body.authorization_url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, error: "access_denied" });
    return {
      address: `/api/auth/github/callback?${query}`,
      headers: { cookie: `oauth_state=${own.cookies.get("oauth_state")}` },
    };
  },
  "POST /api/desktop/pair/exchange": async ({ service, estate }) => {
    const { body } = await service.call<{ pairing_token: string }>("POST", "/api/desktop/pair", {
      token: estate.owner.token,
      json: {},
    });
    return { json: { token: body.pairing_token, device_name: "desk" } };
  },
  "POST /api/teams/invitations/{token}/accept": async ({ service }) => ({
    token: (await service.signUp("guest")).token,
  }),
  "DELETE /api/teams/{team}": async ({ service, estate }) => {
    const { body } = await service.call<{ slug: string }>("POST", "/api/teams", {
      token: estate.owner.token,
      json: { name: "Short-lived" },
    });
    return { address: `/api/teams/${body.slug}` };
  },
  "POST /api/projects/{project}/members": ({ estate }) => ({
    json: { email: estate.owner.email, role: "admin" },
  }),
  "POST /api/teams/{team}/leave": async ({ service }) => {
    const { viewer, samples } = await newSharedEstate(service);
    return { address: `/api/teams/${String(samples["team"])}/leave`, token: viewer.token };
  },
};

/** The form of an OAuth2 client. */
const formOf = ({ email, password }: Account) => ({ username: email, password });

/** Somebody new whose password was right and whose code is on its way. */
async function awaitsCode(service: TestService) {
  const account = await service.signUp();
  const { body } = await service.call<{ temp_token: string }>("POST", "/api/auth/login", { json: account });
  return { account, temp_token: body.temp_token };
}

const Mails = z.array(z.looseObject({ subject: z.string(), text: z.string() }));

/** The text of a mail that the service's own catcher keeps; waits for it. */
async function mailTo(service: TestService, address: string, subject: RegExp): Promise<string> {
  const url = `${service.stack.mailUrl}/?to=${encodeURIComponent(address)}`;
  return vi.waitUntil(
    async () => {
      const mails = Mails.parse(await (await fetch(url)).json());
      return mails.findLast((mail) => subject.test(mail.subject))?.text;
    },
    { timeout: 20_000, interval: 100 },
  );
}

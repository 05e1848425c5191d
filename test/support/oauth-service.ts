import { browser, type Browser } from "./browser.ts";
import { newGitHubPerson, startGitHub } from "./github-provider.ts";
import { newGooglePerson, startGoogle } from "./google-provider.ts";
import { agree, REGISTERED, type ProviderServer } from "./oauth-provider.ts";
import { startService } from "./service.ts";

export type ProviderName = "github" | "google";
export const PROVIDERS: readonly ProviderName[] = ["github", "google"];

const CONSOLE = "https://console.example.com";
export const SIGNED_IN = `${CONSOLE}/oauth/callback`;

/** The cookie header with which a response deletes the browser's state of a sign-in. */
export const FORGOTTEN = "oauth_state=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";

/** The response of a callback. */
export interface Outcome {
  status: number;
  location: string | null;
  text: string;
  setCookies: string[];
}

/** Back to the login page, without a session. */
export const FAILED: Outcome = {
  status: 303,
  location: `${CONSOLE}/login?error=oauth_failed`,
  text: "",
  setCookies: [FORGOTTEN],
};

export const refusedWith = (detail: string): Outcome => ({
  status: 400,
  location: null,
  text: JSON.stringify({ detail }),
  setCookies: [FORGOTTEN],
});

/** Back from a provider. */
export async function comeBack({ who, back }: { who: Browser; back: URL }): Promise<Outcome> {
  const { status, headers, text } = await who.call("GET", back.pathname + back.search);
  return { status, location: headers.get("location"), text, setCookies: headers.getSetCookie() };
}

/** The service with both providers, and browsers that sign in through them. */
export async function startOAuthService() {
  const [github, google] = await Promise.all([
    startGitHub(newGitHubPerson("nobody@example.com")),
    startGoogle(newGooglePerson("nobody@example.com")),
  ]);
  const providers: Record<ProviderName, ProviderServer> = { github, google };
  const service = await startService({
    APP_BASE_URL: `${CONSOLE}/`,
    GITHUB_CLIENT_ID: REGISTERED.clientId,
    GITHUB_CLIENT_SECRET: REGISTERED.clientSecret,
    GITHUB_OAUTH_BASE_URL: github.url,
    GITHUB_API_BASE_URL: `${github.url}/api/v3/`,
    GOOGLE_CLIENT_ID: REGISTERED.clientId,
    GOOGLE_CLIENT_SECRET: REGISTERED.clientSecret,
    GOOGLE_OAUTH_ISSUER: google.url,
  });

  const begin = (provider: ProviderName, who: Browser) =>
    who.call<{ authorization_url: string }>("GET", `/api/auth/${provider}/authorize`);

  /** To the provider: a browser that is about to come back, and where to. */
  async function goTo(provider: ProviderName, who = browser(service)) {
    const begun = await begin(provider, who);
    return { who, back: await agree(begun.body.authorization_url) };
  }

  /** Through the provider and back, in a browser of its own. */
  async function signIn(provider: ProviderName) {
    const about = await goTo(provider);
    return { who: about.who, ...(await comeBack(about)) };
  }

  /** From now on, a new person with this verified address agrees at the provider's page. */
  const meet = (provider: ProviderName, email: string): void => {
    if (provider === "github") github.person = newGitHubPerson(email);
    else google.person = newGooglePerson(email);
  };

  const close = async () => {
    await service.close();
    await Promise.all([github.close(), google.close()]);
  };

  return { service, github, google, providers, begin, goTo, signIn, meet, close };
}

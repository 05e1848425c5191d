import { WorkspaceError, type api } from "@agent-workspace/client";
import { hasPasskeys } from "../service/has-passkeys.ts";
import { goOn, goThereLater, keepPathAlone } from "./address.ts";
import { attempt, element, onPress, onSubmit, show, tell, tryTo } from "./page.ts";
import { sentenceOf, serviceBy, whoIsSignedIn } from "./service.ts";

/** Seconds between two codes. */
const PAUSE = 60;

const parameters = new URLSearchParams(location.search);
goThereLater(parameters.get("next"));

/** The service's message when no further code can be tried. */
const LOGIN_IS_OVER = "Invalid or expired verification session";

/** Token of the second step. It is kept in memory only: a reload starts again. */
let tempToken = "";

const codeField = element("code", HTMLInputElement);

/** The refusal of a sign-in whose code is delayed: it has what the second step needs, and errors carry no token. */
let delayed: Response | undefined;

const visitor = serviceBy(async (url, init) => {
  const response = await fetch(url, init);
  delayed = response.status === 503 ? response.clone() : undefined;
  return response;
});

onSubmit("password-form", async (field) => {
  const body = { username: field("username"), password: field("password") };
  await askForCodeOrGoOn(() => visitor.request("POST", "/api/auth/login", { body }));
});

onSubmit("code-form", async (field) => {
  try {
    // Mail programs and users insert spaces into codes.
    const code = field("code").replaceAll(/\s/gu, "");
    await visitor.request("POST", "/api/auth/2fa/verify", { body: { temp_token: tempToken, code } });
  } catch (error) {
    if (error instanceof WorkspaceError && error.detail === LOGIN_IS_OVER) beginAgain();
    else codeField.select();
    throw error;
  }
  goOn();
});

async function askForCodeOrGoOn(logIn: () => Promise<api.LoggedIn>): Promise<void> {
  let answer: api.LoggedIn;
  let warning = "";
  try {
    answer = await logIn();
  } catch (error) {
    // The password was right, but the code is delayed: the next step is the same.
    const body: unknown = await delayed?.json().catch(() => undefined);
    if (!(error instanceof WorkspaceError) || !isLoggedIn(body)) throw error;
    answer = body;
    warning = sentenceOf(error);
  }
  if (!answer.requires_2fa) return goOn();
  tempToken = answer.temp_token ?? "";
  if (answer.method === "app") askForCodeOfApp();
  show("code-step", "password-step");
  if (answer.method !== "app") pauseResending();
  tell(warning, true);
}

const isLoggedIn = (body: unknown): body is api.LoggedIn =>
  typeof body === "object" && body !== null && "requires_2fa" in body && body.requires_2fa === true;

/** Until the page is loaded again: the person has an app. A recovery code has letters. */
function askForCodeOfApp(): void {
  element("code-title").textContent = "Enter your code";
  element("code-help").textContent =
    "Open your authenticator app and enter the code it shows. A recovery code works, too.";
  codeField.inputMode = "text";
  element("resend").hidden = true;
}

const resendButton = element("resend", HTMLButtonElement);
resendButton.addEventListener("click", () => void resend());

async function resend(): Promise<void> {
  await attempt(resendButton, async () => {
    await visitor.request("POST", "/api/auth/2fa/send", { body: { temp_token: tempToken } });
    tell("A new code is on its way. The previous one no longer works.");
  });
  pauseResending();
  codeField.focus();
}

function beginAgain(): void {
  tempToken = "";
  element("code-form", HTMLFormElement).reset();
  element("password", HTMLInputElement).value = "";
  show("password-step", "code-step");
}

onPress("back", beginAgain);

let pausing: ReturnType<typeof setInterval> | undefined;
function pauseResending(): void {
  const until = Date.now() + PAUSE * 1000;
  const words = "Send another code";
  clearInterval(pausing);
  const tick = () => {
    const seconds = Math.ceil((until - Date.now()) / 1000);
    resendButton.disabled = seconds > 0;
    resendButton.textContent = seconds > 0 ? `${words} (in ${seconds} s)` : words;
    if (seconds <= 0) clearInterval(pausing);
  };
  pausing = setInterval(tick, 1000);
  tick();
}

onPress("passkey", async () => {
  const credential = await passkeyFor(await visitor.request("POST", "/api/auth/passkeys/options"));
  if (!credential) return tell("No passkey was used. Try again, or sign in another way.", true);
  await visitor.request("POST", "/api/auth/passkeys/sign-in", { body: { credential } });
  goOn();
});

/** What the person's passkey signs; undefined if they closed the browser's question, or took too long: it does not say which. */
async function passkeyFor(
  asked: api.PasskeyRequestOptions,
): Promise<api.SignInWithPasskeyBody["credential"] | undefined> {
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...asked, allowCredentials: [] });
    const used = await navigator.credentials.get({ publicKey });
    if (!(used instanceof PublicKeyCredential)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a credential that was used, in the form that WebAuthn gives it
    return used.toJSON() as api.SignInWithPasskeyBody["credential"];
  } catch (error) {
    const isRefused = error instanceof DOMException && /^(?:NotAllowed|Abort)Error$/u.test(error.name);
    if (!isRefused) throw error;
    return undefined;
  }
}

for (const provider of ["github", "google"] as const) {
  onPress(provider, async () => {
    const path = { provider };
    const { authorization_url } = await visitor.request("GET", "/api/auth/{provider}/authorize", { path });
    location.assign(authorization_url);
  });
}

keepPathAlone();
if (parameters.has("error")) {
  tell("Signing in failed. Try again, or sign in another way.", true);
} else if (!parameters.has("switch")) {
  await tryTo(async () => {
    if (await whoIsSignedIn()) goOn();
  });
}

/** Offers only providers with credentials, and passkeys where the browser has them. */
await tryTo(async () => {
  const { oauth, passkey_origin: origin } = await visitor.request("GET", "/api/feature-flags");
  const ways = { ...oauth, passkey: hasPasskeys(origin, "parseRequestOptionsFromJSON") };
  for (const [way, isThere] of Object.entries(ways)) element(way).hidden = !isThere;
  element("providers").hidden = !Object.values(ways).includes(true);
});

import {
  attempt,
  call,
  element,
  goOn,
  goThereLater,
  onPress,
  onSubmit,
  show,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

/** Seconds between two codes. */
const PAUSE = 60;

const parameters = new URLSearchParams(location.search);
goThereLater(parameters.get("next"));

/** The service's message when no further code can be tried. */
const LOGIN_IS_OVER = "Invalid or expired verification session";

/** Token of the second step. It is kept in memory only: a reload starts again. */
let tempToken;

onSubmit("password-form", async ({ username, password }) => {
  await askForCodeOrGoOn(() => call("POST", "/api/auth/login", { username, password }));
});

onSubmit("code-form", async ({ code }) => {
  try {
    // Mail programs and users insert spaces into codes.
    await call("POST", "/api/auth/2fa/verify", { temp_token: tempToken, code: code.replaceAll(/\s/g, "") });
  } catch (error) {
    if (error.message === LOGIN_IS_OVER) beginAgain();
    else element("code").select();
    throw error;
  }
  goOn();
});

async function askForCodeOrGoOn(logIn) {
  let answer;
  let warning = "";
  try {
    answer = await logIn();
  } catch (error) {
    // The password was right, but the code is delayed: the next step is the same.
    if (!error.body?.requires_2fa) throw error;
    answer = error.body;
    warning = error.message;
  }
  if (!answer.requires_2fa) return goOn();
  tempToken = answer.temp_token;
  if (answer.method === "app") askForCodeOfApp();
  show("code-step", "password-step");
  if (answer.method !== "app") pauseResending();
  tell(warning, true);
}

/** Until the page is loaded again: the person has an app. A recovery code has letters. */
function askForCodeOfApp() {
  element("code-title").textContent = "Enter your code";
  element("code-help").textContent =
    "Open your authenticator app and enter the code it shows. A recovery code works, too.";
  element("code").inputMode = "text";
  element("resend").hidden = true;
}

element("resend").addEventListener("click", () => void resend(element("resend")));

async function resend(button) {
  await attempt(button, async () => {
    await call("POST", "/api/auth/2fa/send", { temp_token: tempToken });
    tell("A new code is on its way. The previous one no longer works.");
  });
  pauseResending();
  element("code").focus();
}

function beginAgain() {
  tempToken = undefined;
  element("code-form").reset();
  element("password").value = "";
  show("password-step", "code-step");
}

onPress("back", beginAgain);

let pausing;
function pauseResending() {
  const button = element("resend");
  const until = Date.now() + PAUSE * 1000;
  const words = "Send another code";
  clearInterval(pausing);
  const tick = () => {
    const seconds = Math.ceil((until - Date.now()) / 1000);
    button.disabled = seconds > 0;
    button.textContent = seconds > 0 ? `${words} (in ${seconds} s)` : words;
    if (seconds <= 0) clearInterval(pausing);
  };
  pausing = setInterval(tick, 1000);
  tick();
}

for (const provider of ["github", "google"]) {
  onPress(provider, async () => {
    const { authorization_url } = await call("GET", `/api/auth/${provider}/authorize`);
    location.assign(authorization_url);
  });
}

history.replaceState(null, "", location.pathname);
if (parameters.has("error")) {
  tell("Signing in failed. Try again, or sign in another way.", true);
} else if (!parameters.has("switch")) {
  await tryTo(async () => {
    if (await whoIsSignedIn()) goOn();
  });
}

/** Offers only providers with credentials. */
await tryTo(async () => {
  const { oauth } = await call("GET", "/api/feature-flags");
  for (const [provider, isThere] of Object.entries(oauth)) element(provider).hidden = !isThere;
  element("providers").hidden = !Object.values(oauth).includes(true);
});

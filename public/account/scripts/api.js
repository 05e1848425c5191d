// Shared by the account pages: calls of the service's API with the session's cookies, and where to go next.

// The theme that the person chose in the console.
const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;

/** Page after signing in without another destination. */
const HOME = "/app";
const NEXT = "account.next";

/** Sentences for codes that clients compare literally. Every other message of the service is a sentence already. */
const SENTENCES = {
  LOGIN_BAD_CREDENTIALS: "The username or the password is wrong.",
  REGISTER_USER_ALREADY_EXISTS: "An account with this email address or username already exists.",
  RESET_PASSWORD_BAD_TOKEN: "This link has been used, or has expired. Ask for a new one.",
  VERIFY_USER_BAD_TOKEN: "This link has been used, or has expired.",
  VERIFY_USER_ALREADY_VERIFIED: "This address is already confirmed.",
};

/** An error response. `message` is a sentence for the user, `detail` the service's own words. */
export class Refusal extends Error {
  constructor(status, body) {
    const detail = typeof body?.detail === "string" ? body.detail : "";
    super(SENTENCES[detail] || detail || `The service returned an error (${status}).`);
    this.status = status;
    this.detail = detail;
    this.body = body;
  }
}

let csrfToken;

async function send(method, path, body) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (csrfToken !== undefined && method !== "GET") headers["x-csrf-token"] = csrfToken;
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  } catch {
    throw new Refusal(0, { detail: "The service does not respond. Check your connection and try again." });
  }
  const isJson = response.headers.get("content-type")?.includes("json");
  const answer = isJson ? await response.json() : undefined;
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

/**
 * Calls the service. A change that is refused because of a missing CSRF token is repeated with one. Throws a `Refusal`.
 */
export async function call(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (error) {
    if (error.status !== 403 || !error.detail.includes("CSRF")) throw error;
    csrfToken = (await send("GET", "/api/auth/csrf")).csrf_token;
    return send(method, path, body);
  }
}

/** Same as `call`, for a signed-in user: an expired access token is renewed. */
export async function callSignedIn(method, path, body) {
  try {
    return await call(method, path, body);
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  // Refresh tokens are single use, so the browser's tabs take turns, and a later tab finds the token renewed.
  return inTurn(async () => {
    try {
      return await call(method, path, body);
    } catch (error) {
      if (error.status !== 401) throw error;
      await send("POST", "/api/auth/refresh", {});
      return call(method, path, body);
    }
  });
}

function inTurn(work) {
  return navigator.locks ? navigator.locks.request("account.refresh", work) : work();
}

/** Returns the signed-in account; `undefined` without one. */
export async function whoIsSignedIn() {
  try {
    return await callSignedIn("GET", "/api/users/me");
  } catch (error) {
    if (error.status === 401) return undefined;
    throw error;
  }
}

/**
 * Returns an address of this origin as an absolute URL; `undefined` for any other, which may be an attack. The path
 * alone would not be safe: `/.//elsewhere` has the path `//elsewhere`, which is an address again.
 */
export function ownAddress(address) {
  if (!address) return undefined;
  const url = URL.parse(address, location.origin);
  return url?.origin === location.origin ? url.href : undefined;
}

/** Stores where to go after signing in. The destination may contain a token, so it must not be part of an address. */
export function goThereLater(address) {
  const own = ownAddress(address);
  if (own !== undefined) sessionStorage.setItem(NEXT, own);
}

/** Goes on to the stored destination. */
export function goOn() {
  const own = ownAddress(sessionStorage.getItem(NEXT)) ?? HOME;
  sessionStorage.removeItem(NEXT);
  location.replace(own);
}

/** Signs in first, and returns to this page. */
export function signInFirst() {
  location.replace(`/login?${new URLSearchParams({ next: location.pathname })}`);
}

/** Signs in first, and returns to an address that may contain a secret. */
export function signInFor(address) {
  goThereLater(address);
  location.replace("/login");
}

/** Returns the token of the page's address, and removes it from the address bar and the history. */
export function takeToken() {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  history.replaceState(null, "", location.pathname);
  return token;
}

export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found;
}

/** Shows one step of a page instead of others, and focuses its first field. */
export function show(shown, ...hidden) {
  for (const id of hidden) element(id).hidden = true;
  const step = element(shown);
  step.hidden = false;
  (step.querySelector("input, button, a") ?? step).focus();
}

/** Shows a message; an empty text hides it. */
export function tell(text, isBad = false) {
  const message = element("message");
  message.textContent = text;
  message.hidden = text === "";
  message.classList.toggle("bad", isBad);
  message.setAttribute("role", isBad ? "alert" : "status");
}

/** Runs work that may be refused, and then shows the refusal. */
export async function tryTo(work) {
  try {
    await work();
  } catch (error) {
    for (const waiting of document.querySelectorAll("#wait-step .muted")) waiting.remove();
    tell(error instanceof Refusal ? error.message : "Something went wrong. Reload the page.", true);
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Same as `tryTo`, with the button disabled meanwhile. */
export async function attempt(button, work) {
  button.disabled = true;
  tell("");
  try {
    await tryTo(work);
  } finally {
    button.disabled = false;
  }
}

// Buttons are disabled until here: a form that is submitted before its script is loaded would do nothing.

/** Runs `work` with the values of a form when it is submitted. */
export function onSubmit(id, work) {
  const form = element(id);
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(button, () => work(Object.fromEntries(new FormData(form))));
  });
  button.disabled = false;
}

/** Runs `work` when a button is pressed. */
export function onPress(id, work) {
  const button = element(id);
  button.addEventListener("click", () => void attempt(button, work));
  button.disabled = false;
}

// What the account pages share: calls of the service's API with the session's cookies, and where to go next.

/** Where somebody goes who was on the way to nowhere. */
const HOME = "/account/sessions";
const NEXT = "account.next";

/** What clients compare by its letters, as sentences. Everything else that the service says is one already. */
const SENTENCES = {
  LOGIN_BAD_CREDENTIALS: "The username or the password is wrong.",
  REGISTER_USER_ALREADY_EXISTS: "An account with this email address or username already exists.",
  RESET_PASSWORD_BAD_TOKEN: "This link has been used, or has expired. Ask for a new one.",
  VERIFY_USER_BAD_TOKEN: "This link has been used, or has expired.",
  VERIFY_USER_ALREADY_VERIFIED: "This address is already confirmed.",
};

/** An answer that is not a success. `message` is a sentence for a person, `detail` the service's own words. */
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

/** Ask the service. A change that is refused for want of a CSRF token is sent again with one. Throws a `Refusal`. */
export async function call(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (error) {
    if (error.status !== 403 || !error.detail.includes("CSRF")) throw error;
    csrfToken = (await send("GET", "/api/auth/csrf")).csrf_token;
    return send(method, path, body);
  }
}

/** As `call`, for somebody who is signed in: an access token that has run out is renewed. */
export async function callSignedIn(method, path, body) {
  try {
    return await call(method, path, body);
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  // Refresh tokens are single use, so the tabs of a browser take turns, and who comes later finds the work done.
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

/** The account that is signed in; `undefined` when none is. */
export async function whoIsSignedIn() {
  try {
    return await callSignedIn("GET", "/api/users/me");
  } catch (error) {
    if (error.status === 401) return undefined;
    throw error;
  }
}

/**
 * An address of this origin, whole; `undefined` for anything else, which may be somebody's trap. Its path alone could be
 * read as an address again: `/.//elsewhere` has the path `//elsewhere`.
 */
export function ownAddress(address) {
  if (!address) return undefined;
  const url = URL.parse(address, location.origin);
  return url?.origin === location.origin ? url.href : undefined;
}

/** Remember where to go after signing in, where it may hold a token and has no place in an address. */
export function goThereLater(address) {
  const own = ownAddress(address);
  if (own !== undefined) sessionStorage.setItem(NEXT, own);
}

/** Go on, to where somebody was on the way to. */
export function goOn() {
  const own = ownAddress(sessionStorage.getItem(NEXT)) ?? HOME;
  sessionStorage.removeItem(NEXT);
  location.replace(own);
}

/** Sign in first, and come back to this page. */
export function signInFirst() {
  location.replace(`/login?${new URLSearchParams({ next: location.pathname })}`);
}

/** The token of the page's address, which is taken out of the address bar and the history. */
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

/** Show one step of a page in place of another, and put the cursor where it is needed. */
export function show(shown, ...hidden) {
  for (const id of hidden) element(id).hidden = true;
  const step = element(shown);
  step.hidden = false;
  (step.querySelector("input, button, a") ?? step).focus();
}

/** Tell something; an empty text takes the message away. */
export function tell(text, isBad = false) {
  const message = element("message");
  message.textContent = text;
  message.hidden = text === "";
  message.classList.toggle("bad", isBad);
  message.setAttribute("role", isBad ? "alert" : "status");
}

/** Do something that may be refused, and say so then. */
export async function tryTo(work) {
  try {
    await work();
  } catch (error) {
    for (const waiting of document.querySelectorAll("#wait-step .muted")) waiting.remove();
    tell(error instanceof Refusal ? error.message : "Something went wrong. Reload the page.", true);
    if (!(error instanceof Refusal)) throw error;
  }
}

/** As `tryTo`, while its button cannot be pressed again. */
export async function attempt(button, work) {
  button.disabled = true;
  tell("");
  try {
    await tryTo(work);
  } finally {
    button.disabled = false;
  }
}

// Buttons are off until here: a form that is sent before its script is there would go nowhere.

/** Run `work` with the values of a form when it is sent. */
export function onSubmit(id, work) {
  const form = element(id);
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(button, () => work(Object.fromEntries(new FormData(form))));
  });
  button.disabled = false;
}

/** Run `work` when a button is pressed. */
export function onPress(id, work) {
  const button = element(id);
  button.addEventListener("click", () => void attempt(button, work));
  button.disabled = false;
}

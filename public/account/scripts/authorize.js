import {
  callSignedIn,
  element,
  onPress,
  onSubmit,
  Refusal,
  show,
  signInFor,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

/** The parameters that the service knows. Others are ignored. Source: RFC 6749, section 3.1. */
const PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
];

let request;

async function open() {
  const given = new URLSearchParams(location.search);
  const twice = PARAMETERS.find((name) => given.getAll(name).length > 1);
  if (twice) throw new Refusal(400, { detail: `The program gave ${twice} more than once.` });
  const named = PARAMETERS.filter((name) => given.has(name));
  const asked = Object.fromEntries(named.map((name) => [name, given.get(name)]));
  const answer = await callSignedIn("POST", "/api/auth/connected-apps/requests", asked);
  if (answer.refused) {
    // Not at once: whoever made the link could use this page to send its visitor anywhere.
    element("why").textContent = answer.refused.detail;
    element("back").href = answer.refused.redirect_to;
    show("refused-step", "wait-step");
    return;
  }
  request = answer.request;
  element("client-name").textContent = request.client_name;
  element("publisher").textContent = request.published_by
    ? `Published by ${request.published_by}`
    : "Name that the program gave itself";
  element("returns-to").textContent = request.returns_to;
  element("scopes").replaceChildren(...request.scopes.map(choice));
  element("team").replaceChildren(
    ...request.teams.map(({ slug, name, role }) => new Option(`${name} (${role})`, slug)),
  );
  element("team-field").hidden = request.teams.length < 2;
  show("decide-step", "wait-step");
}

/** A permission that the person may take away. */
function choice({ value, words }) {
  const line = document.createElement("label");
  const box = line.appendChild(document.createElement("input"));
  box.type = "checkbox";
  box.name = "scope";
  box.value = value;
  box.checked = true;
  line.append(` ${words}`);
  return line;
}

async function decide(decision) {
  const boxes = [...document.querySelectorAll("#scopes input:checked")];
  const allowed = { scopes: boxes.map(({ value }) => value), team: element("team").value || null };
  let answer;
  try {
    answer = await callSignedIn("POST", `/api/auth/connected-apps/requests/${request.id}/decide`, {
      decision,
      ...(decision === "allow" && allowed),
    });
  } catch (error) {
    // Decided elsewhere, or expired: there is nothing left to decide.
    if ([404, 409, 410].includes(error.status)) element("decide-step").hidden = true;
    throw error;
  }
  element("decide-step").hidden = true;
  tell(
    decision === "allow"
      ? "Allowed. Go back to the program; you can close this page."
      : "Denied. The program is not connected.",
  );
  // An app of this machine may take the address, and leave the page as it is.
  location.assign(answer.redirect_to);
}

onSubmit("decide-form", () => decide("allow"));
onPress("deny", () => decide("deny"));

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFor(location.href);
  element("who").textContent = user.email;
  await open();
});

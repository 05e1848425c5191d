import { WorkspaceError, type api } from "@agent-workspace/client";
import { signInFor } from "./address.ts";
import { element, onPress, onSubmit, show, tell, tryTo } from "./page.ts";
import { whoIsSignedIn, workspace } from "./service.ts";

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

/** The request that the page shows, by its id. */
let request = "";

async function open(): Promise<void> {
  const given = new URLSearchParams(location.search);
  const twice = PARAMETERS.find((name) => given.getAll(name).length > 1);
  if (twice !== undefined) throw new WorkspaceError(`The app gave ${twice} more than once.`);
  const named = PARAMETERS.filter((name) => given.has(name));
  const body = Object.fromEntries(named.map((name) => [name, given.get(name)]));
  const { refused, request: asked } = await workspace.request("POST", "/api/auth/connected-apps/requests", {
    body,
  });
  if (refused) {
    // Not at once: whoever made the link could use this page to send its visitor anywhere.
    element("why").textContent = refused.detail;
    element("back", HTMLAnchorElement).href = refused.redirect_to;
    show("refused-step", "wait-step");
  }
  if (asked) showRequest(asked);
}

function showRequest(asked: NonNullable<api.OpenAppRequestAnswer["request"]>): void {
  request = asked.id;
  element("client-name").textContent = asked.client_name;
  element("publisher").textContent = asked.published_by
    ? `Published by ${asked.published_by}`
    : "Name that the app gave itself";
  element("returns-to").textContent = asked.returns_to;
  element("scopes").replaceChildren(...asked.scopes.map(choice));
  element("team").replaceChildren(
    ...asked.teams.map(({ slug, name, role }) => new Option(`${name} (${role})`, slug)),
  );
  element("team-field").hidden = asked.teams.length < 2;
  show("decide-step", "wait-step");
}

/** A permission that the person may take away. */
function choice({ value, words }: { value: string; words: string }): HTMLLabelElement {
  const line = document.createElement("label");
  line.className = "check";
  const box = line.appendChild(document.createElement("input"));
  box.type = "checkbox";
  box.name = "scope";
  box.value = value;
  box.checked = true;
  line.append(` ${words}`);
  return line;
}

async function decide(decision: "allow" | "deny"): Promise<void> {
  const boxes = document.querySelectorAll<HTMLInputElement>("#scopes input:checked");
  const allowed = {
    scopes: Array.from(boxes, ({ value }) => value),
    team: element("team", HTMLSelectElement).value || null,
  };
  const answer = await workspace
    .request("POST", "/api/auth/connected-apps/requests/{app_request}/decide", {
      path: { app_request: request },
      body: { decision, ...(decision === "allow" && allowed) },
    })
    .catch((error: unknown) => {
      // Decided elsewhere, or expired: there is nothing left to decide.
      const isOver = error instanceof WorkspaceError && [404, 409, 410].includes(error.status ?? 0);
      if (isOver) element("decide-step").hidden = true;
      throw error;
    });
  element("decide-step").hidden = true;
  tell(
    decision === "allow"
      ? "Allowed. Go back to the app. You can close this page."
      : "Denied. The app is not connected.",
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

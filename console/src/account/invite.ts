import type { api } from "@agent-workspace/client";
import { goThereLater, lastPart } from "./address.ts";
import { element, onPress, show, tryTo } from "./page.ts";
import { visitor, whoIsSignedIn, workspace } from "./service.ts";

/** Address of this page without a token. */
const PAGE = "/invite/-";
/** Storage key of the token while the user signs in. */
const KEPT = "account.invitation";

const inAddress = lastPart();
if (inAddress !== "-") sessionStorage.setItem(KEPT, inAddress);
history.replaceState(null, "", PAGE);
const path = { token: sessionStorage.getItem(KEPT) ?? "-" };

function termsOf({ inviter_name, role, email }: api.GetInvitationResponses[200]): string {
  const article = /^[aeiou]/u.test(role) ? "an" : "a";
  const terms = `${inviter_name ?? "A member of the team"} invites you to be ${article} ${role} there.`;
  return email ? `${terms} The invitation is for ${email}.` : terms;
}

/** The team that was joined, by its slug. */
let joined = "";

onPress("accept", async () => {
  const team = await workspace.request("POST", "/api/teams/invitations/{token}/accept", { path });
  joined = team.slug;
  sessionStorage.removeItem(KEPT);
  show("done-step", "ask-step");
});

onPress("open", async () => {
  await workspace.request("POST", "/api/teams/{team}/switch", { path: { team: joined } });
  location.assign("/app");
});

onPress("other", () => {
  goThereLater(PAGE);
  location.assign("/login?switch");
});

await tryTo(async () => {
  const [invitation, user] = await Promise.all([
    visitor.request("GET", "/api/teams/invitations/{token}", { path }),
    whoIsSignedIn(),
  ]);
  for (const id of ["team", "team-again", "team-joined"]) element(id).textContent = invitation.team_name;
  element("terms").textContent = termsOf(invitation);
  if (user) {
    element("who").textContent = `You are signed in as ${user.email}.`;
    show("ask-step", "wait-step");
  } else {
    goThereLater(PAGE);
    show("sign-in-step", "wait-step");
  }
});

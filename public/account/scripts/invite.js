import { call, callSignedIn, element, goThereLater, onPress, show, tryTo, whoIsSignedIn } from "./api.js";

/** Address of this page without a token. */
const PAGE = "/invite/-";
/** Storage key of the token while the user signs in. */
const KEPT = "account.invitation";

const inAddress = location.pathname.replace(/\/+$/, "").split("/").at(-1);
if (inAddress !== "-") sessionStorage.setItem(KEPT, inAddress);
history.replaceState(null, "", PAGE);
// The token is stored as it was in the address, so it is already encoded.
const address = `/api/teams/invitations/${sessionStorage.getItem(KEPT) ?? "-"}`;

function termsOf({ inviter_name, role, email }) {
  const article = /^[aeiou]/.test(role) ? "an" : "a";
  const terms = `${inviter_name ?? "A member of the team"} invites you to be ${article} ${role} there.`;
  return email ? `${terms} The invitation is for ${email}.` : terms;
}

/** The team that was joined, by its slug. */
let joined;

onPress("accept", async () => {
  const team = await callSignedIn("POST", `${address}/accept`, {});
  joined = team.slug;
  sessionStorage.removeItem(KEPT);
  show("done-step", "ask-step");
});

onPress("open", async () => {
  await callSignedIn("POST", `/api/teams/${joined}/switch`, {});
  location.assign("/app");
});

onPress("other", () => {
  goThereLater(PAGE);
  location.assign("/login?switch");
});

await tryTo(async () => {
  const [invitation, user] = await Promise.all([call("GET", address), whoIsSignedIn()]);
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

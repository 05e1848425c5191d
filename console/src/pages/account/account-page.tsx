import { Route, Switch } from "wouter-preact";
import { Tabs } from "../../parts/tabs.tsx";
import { ActionButton } from "../../parts/action-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMe } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { Credentials } from "./credentials.tsx";
import { Devices } from "./devices.tsx";
import { Limits } from "./limits.tsx";
import { Preferences } from "./preferences.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Sessions } from "./sessions.tsx";

const TABS = [
  { path: "/account", name: "Profile" },
  { path: "/account/security", name: "Sign-in" },
  { path: "/account/sessions", name: "Sessions and devices" },
  { path: "/account/limits", name: "Limits" },
];

/** The person's own account. */
export function AccountPage() {
  return (
    <>
      <div class="row">
        <h1>Account</h1>
        <span class="spring" />
        <ActionButton work={signOut}>Sign out</ActionButton>
      </div>
      <Tabs label="Account" tabs={TABS} />
      <Loaded of={useMe()}>
        {(me) => (
          <Switch>
            <Route path="/account">
              <ProfileForm />
              <Preferences />
              <h2>Delete the account</h2>
              <p class="muted">
                An administrator of this installation deletes accounts. Tell them your id:{" "}
                <code>{me.id}</code>
              </p>
            </Route>
            <Route path="/account/security">
              <Credentials me={me} />
            </Route>
            <Route path="/account/sessions">
              <Sessions />
              <Devices />
            </Route>
            <Route path="/account/limits">
              <Limits />
            </Route>
            <Route>
              <p>There is no such page.</p>
            </Route>
          </Switch>
        )}
      </Loaded>
    </>
  );
}

/** Ends this session alone; those of other devices go on. */
async function signOut(): Promise<void> {
  const sessions = await workspace.sessions.list();
  const here = sessions.find(({ is_current }) => is_current);
  if (here) await workspace.sessions.end(here.id);
  location.replace("/login");
}

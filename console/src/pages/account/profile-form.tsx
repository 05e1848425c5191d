import { ActionForm } from "../../parts/action-form.tsx";
import { LinesField, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, useProfile } from "./reads.ts";

const FIELDS = [
  "username",
  "name",
  "bio",
  "website_url",
  "github_username",
  "twitter_handle",
  "avatar_url",
] as const;

/** What other people see of the person. An empty field is cleared. */
export function ProfileForm() {
  return (
    <section aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <Loaded of={useProfile()}>
        {(profile) => (
          <ActionForm submit="Save the profile" done="Saved" isKept work={save}>
            <TextField label="Name" name="name" required maxLength={100} defaultValue={profile.name} />
            <TextField
              label="Handle"
              name="username"
              required
              minLength={3}
              maxLength={32}
              defaultValue={profile.username}
              hint="3 to 32 characters. You can sign in with it."
            />
            <LinesField label="About you" name="bio" maxLength={2000} defaultValue={profile.bio ?? ""} />
            <TextField
              label="Website"
              name="website_url"
              type="url"
              placeholder="https://"
              defaultValue={profile.website_url ?? ""}
            />
            <TextField
              label="GitHub name"
              name="github_username"
              maxLength={100}
              defaultValue={profile.github_username ?? ""}
            />
            <TextField
              label="Twitter name"
              name="twitter_handle"
              maxLength={100}
              defaultValue={profile.twitter_handle ?? ""}
            />
            <TextField
              label="Picture"
              name="avatar_url"
              defaultValue={profile.avatar_url ?? ""}
              hint="An https:// address. The console does not load it."
            />
          </ActionForm>
        )}
      </Loaded>
    </section>
  );
}

async function save(form: FormData): Promise<void> {
  const body = Object.fromEntries(FIELDS.map((field) => [field, textOf(form, field)]));
  await workspace.request("PATCH", "/api/users/profile", { body });
  stale(accountKeys.profile, keys.me, keys.teams);
}

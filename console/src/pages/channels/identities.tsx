import { visibleLine, type api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { AskFirst } from "../../parts/ask-first.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useIdentities, usePlatforms } from "./reads.ts";

/** The accounts at platforms that are linked to the person, and the form that links another one. */
export function Identities() {
  return (
    <>
      <h2>Linked accounts</h2>
      <p class="muted">
        What these accounts write to a bot is done with your rights. Unlinked people get a code from the bot,
        and nothing runs for them.
      </p>
      <Loaded of={useIdentities()}>
        {(found) =>
          found.length === 0 ? (
            <p>No account is linked: write to the bot in private, and enter its code below.</p>
          ) : (
            <ul class="list">
              {found.map((identity) => (
                <IdentityLine key={identity.id} identity={identity} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Pairing />
    </>
  );
}

function IdentityLine({ identity }: { identity: api.PlatformIdentity }) {
  const { id, platform, platform_user_id, platform_username, paired_at } = identity;
  const person = visibleLine(platform_username ?? platform_user_id);
  return (
    <li>
      <span>{person}</span>
      <span class="muted small">
        {platform} · linked <Moment at={paired_at} />
      </span>
      <AskFirst
        label={`Unlink ${person} …`}
        shown="Unlink …"
        confirm={`Unlink ${person}`}
        title={`Unlink ${person}?`}
        work={async () => {
          await workspace.channels.unlink(id);
          stale(names.identities);
        }}
      >
        <p>What this account writes does nothing any more. It can be linked again with a new code.</p>
      </AskFirst>
    </li>
  );
}

function Pairing() {
  const { data: platforms = [] } = usePlatforms();
  const [linked, setLinked] = useState<string>();
  const pairing = useAction(async (form: HTMLFormElement) => {
    setLinked(undefined);
    const typed = new FormData(form);
    const platform = platforms.find((each) => each.platform === textOf(typed, "platform"));
    if (!platform) return;
    await workspace.channels.pair({ platform: platform.platform, pairing_code: textOf(typed, "code") });
    setLinked(platform.display_name);
    form.reset();
    stale(names.identities);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        pairing.run(event.currentTarget);
      }}
    >
      <h3>Link an account</h3>
      <ol>
        <li>Write anything to the bot, in a private chat.</li>
        <li>The bot sends a code of eight characters. It is valid for an hour.</li>
        <li>
          Enter it here. Never enter a code that another person gave you: their account would act as you.
        </li>
      </ol>
      <div class="field">
        <label for="pair-platform">Platform</label>
        <select id="pair-platform" name="platform">
          {platforms
            .filter(({ platform }) => platform !== "cli")
            .map(({ platform, display_name }) => (
              <option key={platform} value={platform}>
                {display_name}
              </option>
            ))}
        </select>
      </div>
      <div class="field">
        <label for="pair-code">Code</label>
        <input
          id="pair-code"
          name="code"
          required
          maxLength={20}
          autocomplete="one-time-code"
          spellcheck={false}
        />
      </div>
      <button type="submit" disabled={pairing.isBusy || platforms.length === 0}>
        Link the account
      </button>
      <p role="status">{linked !== undefined && `Your account at ${linked} is linked.`}</p>
      {pairing.error !== undefined && <Refused error={pairing.error} />}
    </form>
  );
}

import { visibleLine, type api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { AskFirst } from "../../parts/ask-first.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { platformName } from "../../parts/platform-name.ts";
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
        Messages from these accounts act as you, but may do only what the bot’s owner may do, too. Each link
        is for one bot, and the bot’s owner can read those messages.
      </p>
      <Loaded of={useIdentities()}>
        {(found) =>
          found.length === 0 ? (
            <p>No linked accounts yet. Send a bot a private message and enter its code below.</p>
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
  const { id, platform, platform_user_id, platform_username, paired_at, channel } = identity;
  const person = visibleLine(platform_username ?? platform_user_id);
  return (
    <li>
      <span class="told">
        {person}{" "}
        <span class="muted small">
          {platformName(platform)} · “{visibleLine(channel.name)}” · linked <Moment at={paired_at} /> ·{" "}
          {visibleLine(channel.description)}
        </span>
      </span>
      <AskFirst
        label={`Unlink ${person}…`}
        shown="Unlink…"
        confirm={`Unlink ${person}`}
        title={`Unlink ${person}?`}
        work={async () => {
          await workspace.channels.unlink(id);
          stale(names.identities);
        }}
      >
        <p>
          Messages from this account to “{channel.name}” are ignored, and nothing is sent to it there. You can
          link it again with a new code.
        </p>
      </AskFirst>
    </li>
  );
}

function Pairing() {
  const { data: platforms = [] } = usePlatforms();
  const [linked, setLinked] = useState<string>();
  const [review, setReview] = useState<Review>();
  const looking = useAction(async (form: HTMLFormElement) => {
    setLinked(undefined);
    const typed = new FormData(form);
    const platform = platforms.find((each) => each.platform === textOf(typed, "platform"));
    if (!platform) return;
    const body = { platform: platform.platform, pairing_code: textOf(typed, "code") };
    const found = await workspace.request("POST", "/api/gateway/pair/preview", { body });
    setReview({ body, found, label: platform.display_name });
    form.reset();
  });
  if (review !== undefined) {
    return (
      <PairingReview
        {...review}
        close={(isLinked) => {
          setReview(undefined);
          if (isLinked) setLinked(review.label);
        }}
      />
    );
  }
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        looking.run(event.currentTarget);
      }}
    >
      <h3>Link an account</h3>
      <ol>
        <li>Send the bot any private message.</li>
        <li>The bot replies with a code of eight characters, valid for an hour.</li>
        <li>
          Enter the code here and check the account and the bot. Never enter a code from someone else: their
          account would act as you.
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
      <button type="submit" disabled={looking.isBusy || platforms.length === 0}>
        Continue
      </button>
      <p role="status">{linked !== undefined && `Your account at ${linked} is linked.`}</p>
      {looking.error !== undefined && <Refused error={looking.error} />}
    </form>
  );
}

interface Review {
  body: { platform: api.PlatformIdentity["platform"]; pairing_code: string };
  found: Pick<api.PlatformIdentity, "platform_user_id" | "platform_username" | "channel">;
  label: string;
}

/** Whom a code links and whose bot sent it: the person decides with that before their eyes. */
function PairingReview({ body, found, label, close }: Review & { close: (isLinked: boolean) => void }) {
  const pairing = useAction(async () => {
    await workspace.channels.pair(body);
    stale(names.identities);
    close(true);
  });
  const { platform_user_id: id, platform_username: name, channel } = found;
  return (
    <section class="narrow" aria-label="Link an account">
      <h3>Is this your account?</h3>
      <p>
        <strong>{`${label}: ${visibleLine(name ?? id)}`}</strong> <span class="muted">{id}</span>
      </p>
      <p>{visibleLine(channel.description)}</p>
      <p class="muted">The owner named it {visibleLine(channel.name)}</p>
      <p class="muted">
        Messages from that account to this bot will act as you. The bot's owner can read them, and could write
        in that account's name.
      </p>
      <div class="row">
        <button type="button" disabled={pairing.isBusy} onClick={() => pairing.run()}>
          Link account
        </button>
        <button type="button" onClick={() => close(false)}>
          This is not my account
        </button>
      </div>
      {pairing.error !== undefined && <Refused error={pairing.error} />}
    </section>
  );
}

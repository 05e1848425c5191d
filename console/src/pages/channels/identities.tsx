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
        What these accounts write to a bot is done with your rights, as far as the bot's owner has them, too.
        Each link is with one bot: its owner reads what is written to it, and says who wrote it.
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
  const { id, platform, platform_user_id, platform_username, paired_at, channel } = identity;
  const person = visibleLine(platform_username ?? platform_user_id);
  return (
    <li>
      <span>{person}</span>
      <span class="muted small">
        {platform} · “{visibleLine(channel.name)}” · linked <Moment at={paired_at} /> ·{" "}
        {visibleLine(channel.description)}
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
        <p>
          What this account writes to “{channel.name}” does nothing any more, and nothing more is sent to it
          there. It can be linked again with a new code.
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
        <li>Write anything to the bot, in a private chat.</li>
        <li>The bot sends a code of eight characters. It is valid for an hour.</li>
        <li>
          Enter it here, and look at whose account and whose bot it is. Never enter a code that another person
          gave you: their account would act as you.
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
      <p class="muted">Its owner calls it: {visibleLine(channel.name)}</p>
      <p class="muted">
        What is written to this bot from that account will act as you. The bot's owner reads it, and could
        write in that account's name to this bot.
      </p>
      <div class="row">
        <button type="button" disabled={pairing.isBusy} onClick={() => pairing.run()}>
          Link the account
        </button>
        <button type="button" onClick={() => close(false)}>
          This is not my account
        </button>
      </div>
      {pairing.error !== undefined && <Refused error={pairing.error} />}
    </section>
  );
}

import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Choice, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { addModelKey, deleteModelKey, type KeyTest } from "../../service/model-keys.ts";
import { keys, stale } from "../../service/reads.ts";

type Provider = api.ListModelsResponses[200]["external_providers"][number];

/** Takes a key of a model provider and says at once whether it works; one that the provider refuses is not kept. */
export function ProviderKey({
  providers,
  stored,
}: {
  providers: readonly Provider[];
  /** Is called after a key is stored, with what the provider says about it. */
  stored: (test: KeyTest) => void;
}) {
  const [told, setTold] = useState("");
  const [provider, setProvider] = useState(providers[0]?.provider);
  const website = providers.find((each) => each.provider === provider)?.website;
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    setTold("");
    const body = { provider: textOf(form, "provider"), api_key: textOf(form, "api_key") };
    const { id, test } = await addModelKey(body);
    if (test.outcome === "refused") {
      setTold(test.message);
      await deleteModelKey(id);
    } else stored(test);
    stale(keys.models);
  });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        run(new FormData(event.currentTarget));
      }}
    >
      <Choice
        label="Provider"
        name="provider"
        required
        onChange={(event) => setProvider(event.currentTarget.value)}
      >
        {providers.map(({ provider: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <TextField label="Key" name="api_key" type="password" required maxLength={10_000} />
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {isBusy ? "Checking…" : "Use this key"}
        </button>
        {website !== undefined && (
          <a href={website} target="_blank" rel="noreferrer">
            Create a key
          </a>
        )}
      </div>
      <span role="status">{told}</span>
      {error !== undefined && <Refused error={error} />}
    </form>
  );
}

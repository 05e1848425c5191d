import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { gitKey } from "./reads.ts";

interface CommitProps {
  project: string;
  /** Paths that the person has chosen. */
  chosen: readonly string[];
  stagedCount: number;
  onDone: () => void;
}

type Extent = "all" | "chosen" | "staged";

/** Stages files, and makes a commit of them. */
export function Commit({ project, chosen, stagedCount, onDone }: CommitProps) {
  const [extent, setExtent] = useState<Extent>();
  const now = extent ?? (stagedCount > 0 ? "staged" : chosen.length > 0 ? "chosen" : "all");
  const staging = useAction(async () => {
    await workspace.git.stage(project, chosen.length > 0 ? { files: [...chosen] } : {});
    stale(gitKey(project));
    onDone();
  });
  const committing = useAction(async (form: HTMLFormElement) => {
    const files = { all: null, chosen: [...chosen], staged: [] }[now];
    await workspace.git.commit(project, { message: textOf(new FormData(form), "message"), files });
    form.reset();
    setExtent(undefined);
    stale(gitKey(project));
    onDone();
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        committing.run(event.currentTarget);
      }}
    >
      <div class="row">
        <button type="button" disabled={staging.isBusy} onClick={() => staging.run()}>
          {chosen.length > 0 ? `Stage ${chosen.length} selected` : "Stage all"}
        </button>
      </div>
      {staging.error !== undefined && <Refused error={staging.error} />}
      <div class="field">
        <label for="message">Commit message</label>
        <textarea id="message" name="message" rows={2} required maxLength={500} />
      </div>
      <div class="field">
        <label for="extent">Include</label>
        <select
          id="extent"
          value={now}
          onChange={({ currentTarget: { value } }) =>
            setExtent(value === "chosen" || value === "staged" ? value : "all")
          }
        >
          <option value="all">All changes</option>
          <option value="staged" disabled={stagedCount === 0}>
            Staged files ({stagedCount})
          </option>
          <option value="chosen" disabled={chosen.length === 0}>
            Selected files ({chosen.length})
          </option>
        </select>
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={committing.isBusy}>
          Commit
        </button>
      </div>
      {committing.error !== undefined && <Refused error={committing.error} />}
    </form>
  );
}

import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { reads, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { gitKey } from "./reads.ts";

/** Gives a project a git repository, or the one that it has a remote one. */
export function Begin({ project, hasRepository }: { project: string; hasRepository: boolean }) {
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    const remote = textOf(form, "remote");
    await workspace.git.init(project, { ...(remote !== "" && { repo_url: remote }) });
    if (!hasRepository) reads.removeQueries({ queryKey: gitKey(project) });
    stale(gitKey(project));
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        run(new FormData(event.currentTarget));
      }}
    >
      <div class="field">
        <label for="remote">Remote repository URL{!hasRepository && " (optional)"}</label>
        <input
          id="remote"
          name="remote"
          type="url"
          required={hasRepository}
          maxLength={2_000}
          placeholder="https://github.com/example/app.git"
        />
      </div>
      <div class="row">
        <button type="submit" class={hasRepository ? "" : "primary"} disabled={isBusy}>
          {hasRepository ? "Connect" : "Initialise git repository"}
        </button>
      </div>
      {error !== undefined && <Refused error={error} />}
    </form>
  );
}

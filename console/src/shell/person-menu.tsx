import {
  BookOpen,
  Check,
  ChevronsUpDown,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  ShieldCheck,
  Sun,
  UserRound,
} from "lucide-preact";
import { Avatar } from "../parts/avatar.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, MenuButton, MenuChoice, MenuLink } from "../parts/menu.tsx";
import { plural } from "../parts/numbers.ts";
import { toast } from "../parts/toast.tsx";
import { useCredits, useMe } from "../service/reads.ts";
import { signOut } from "../service/sign-out.ts";
import { theme, type Theme } from "../service/theme.ts";
import { openDialog } from "./open-dialog.ts";

const THEMES = [
  ["system", "System theme", Monitor],
  ["light", "Light theme", Sun],
  ["dark", "Dark theme", Moon],
] as const satisfies readonly (readonly [Theme, string, typeof Monitor])[];

/** Whose account it is, and what belongs to the person: account, theme, guide, administration. */
export function PersonMenu() {
  const { data: me } = useMe();
  const { data: credits } = useCredits();
  if (!me) return null;
  const shown = me.name || me.username;
  return (
    <Menu
      label={`${shown}, account menu`}
      class="place person"
      face={
        <>
          <Avatar name={shown} />
          <span class="label">
            <span>{shown}</span>
            {credits && <span class="muted">{plural(credits.total_credits, "credit")}</span>}
          </span>
          <Icon of={ChevronsUpDown} />
        </>
      }
    >
      <MenuLink href="/account" icon={UserRound}>
        Account
      </MenuLink>
      {me.is_superuser && (
        <MenuLink href="/admin" icon={ShieldCheck}>
          Administration
        </MenuLink>
      )}
      <hr />
      {THEMES.map(([value, name, icon]) => (
        <MenuChoice
          key={value}
          icon={icon}
          mark={Check}
          isChosen={theme.value === value}
          onPicked={() => (theme.value = value)}
        >
          {name}
        </MenuChoice>
      ))}
      <hr />
      <MenuButton icon={BookOpen} onPicked={() => location.assign("/guide")}>
        Guide
      </MenuButton>
      <MenuButton icon={Keyboard} onPicked={() => (openDialog.value = "shortcuts")}>
        Keyboard shortcuts
      </MenuButton>
      <hr />
      <MenuButton
        icon={LogOut}
        onPicked={() => {
          signOut().catch(() => toast("You could not be signed out. Try again.", { isBad: true }));
        }}
      >
        Sign out
      </MenuButton>
    </Menu>
  );
}

"""Four small wishes for the sidebar of a desktop app: an icon's place and size, two indents."""

from imported import ImportedLog, RealSession

SIDEBAR = "apps/examples/desktop-app/webview/components/agent-sidebar.tsx"
BUTTON = "apps/examples/desktop-app/webview/components/ui/button.tsx"


def ask(log: ImportedLog) -> None:
    """What is asked at the end."""
    ask_wishes(log)
    ask_indents(log)
    ask_components(log)
    ask_further(log)


def ask_wishes(log: ImportedLog) -> None:
    """What was wanted, and the two changes of the icon."""
    fact, trap = log.fact, log.trap
    log.probe(
        "four-wishes",
        "recall",
        "Which four changes of the sidebar did the user ask for, each with the thing that it is "
        "about?",
        [
            fact(
                "the filter icon comes after the Sessions text button",
                type="constraint",
                keys=[
                    "filter icon|filter|filter button",
                    "after|behind|right of|following|to the right|follows",
                    "Sessions|text button|label|Sessions button",
                ],
                said_in=["m0001"],
            ),
            fact(
                "the filter icon shall be smaller",
                type="constraint",
                keys=["filter icon|filter", "smaller|shrink|reduce|reduced|shrunk|size-3"],
                said_in=["m0007"],
            ),
            fact(
                "the padding of the Sessions button shall match the buttons above it",
                type="constraint",
                keys=[
                    "Sessions button|Sessions|Sessions text|Sessions label",
                    "spacing|padding|indent|offset|alignment|space",
                    "match|matches|matching|same as|buttons above|align with|New Session",
                ],
                said_in=["m0011"],
            ),
            fact(
                "that spacing shall be removed from the Show more button too",
                type="constraint",
                keys=[
                    "Show more",
                    "spacing|padding|indent|left padding|offset|pl-0",
                ],
                said_in=["m0023"],
            ),
        ],
        [
            trap(
                "the filter icon comes before the Sessions text button",
                of="the filter icon comes after the Sessions text button",
                keys=["filter icon|filter", "before|left of|in front of", "Sessions|text button"],
            ),
            trap(
                "the filter icon shall be larger",
                of="the filter icon shall be smaller",
                keys=["filter icon|filter", "larger|bigger|enlarged"],
            ),
        ],
    )
    log.probe(
        "icon-order",
        "file",
        "Which file was changed so that the two parts of the section head change places, in which "
        "component of it, which prop of that holds the icon, at which lines do the button and the "
        "icon begin now, and why was no styling needed?",
        [
            fact(
                f"{SIDEBAR} was modified",
                type="path",
                keys=[SIDEBAR],
                change="modified",
                said_in=["m0002", "m0003"],
            ),
            fact(
                "the component is ThreadSection",
                type="identifier",
                keys=["ThreadSection"],
                said_in=["m0002", "m0006"],
            ),
            fact(
                "the icon is the prop action",
                type="identifier",
                keys=["action", "filter icon|icon|filter|prop|filterMenu"],
                said_in=["m0002", "m0004"],
            ),
            fact(
                "the button begins at line 467, the icon at line 475",
                type="value",
                keys=["475", "action|icon|filter|filter icon|line"],
                said_in=["m0003", "m0005"],
            ),
            fact(
                "the visual order follows the DOM order",
                type="reason",
                keys=[
                    "DOM order|order in the DOM|order of the DOM|markup order|source order|JSX "
                    "order",
                    "visual|follows|order|flex|display",
                ],
            ),
        ],
        [
            trap(
                "the component is ThreadItem",
                of="the component is ThreadSection",
                keys=["ThreadItem|AgentSidebar", "reordered|swapped|changed|component|moved"],
            ),
            trap(
                "the order was changed by CSS order classes",
                of="the visual order follows the DOM order",
                keys=["flex-row-reverse|order-last|order-first|CSS order"],
            ),
        ],
    )
    log.probe(
        "icon-size",
        "recall",
        "From which to which class did the filter icon shrink, how many pixels are that now, in "
        "which "
        "line, and what size has the button around it kept?",
        [
            fact(
                "the class of the icon is size-3 now",
                type="value",
                keys=["size-3"],
            ),
            fact(
                "the icon is 12px now",
                type="value",
                keys=["12px|12 px|0.75rem", "size-3|icon|Filter|filter icon|smaller"],
                said_in=["m0010"],
            ),
            fact(
                "it stands in line 217",
                type="value",
                keys=["217", "Filter|icon|filter icon|line"],
                said_in=["m0009"],
            ),
            fact(
                "the button around it keeps size-8",
                type="state",
                keys=["size-8", "button|surrounding|clickable|click area|trigger"],
                said_in=["m0010"],
            ),
        ],
        [
            trap(
                "the icon is 16px",
                of="the icon is 12px now",
                keys=["16px", "now|is|currently|remains"],
            ),
            trap(
                "the button around it has size-6",
                of="the button around it keeps size-8",
                keys=["button", "size-5|size-6|size-10"],
            ),
        ],
    )


def ask_indents(log: ImportedLog) -> None:
    """The two indents and their reason."""
    fact, trap = log.fact, log.trap
    log.probe(
        "new-classes",
        "file",
        "Which padding classes replaced those of the Sessions text button, for what was the one on "
        "its right kept, which class was given to the Show more button, and which library lets it "
        "win over the padding of the button's variant?",
        [
            fact(
                "the Sessions button has pl-0 pr-2",
                type="decision",
                keys=["pl-0", "pr-2"],
                said_in=["m0020", "m0022"],
            ),
            fact(
                "pr-2 was kept for spacing before the filter icon",
                type="reason",
                keys=[
                    "pr-2|right padding|padding on the right",
                    "filter icon|filter|icon",
                    "spacing|space|gap|distance|room",
                ],
                said_in=["m0022"],
            ),
            fact(
                "the Show more button got className pl-0",
                type="decision",
                keys=["pl-0", "Show more|className|class"],
                said_in=["m0026", "m0030"],
            ),
            fact(
                "cn uses tailwind-merge, so pl-0 wins over px-3",
                type="reason",
                keys=["tailwind-merge|tailwind merge|twMerge"],
                said_in=["m0030"],
            ),
        ],
        [
            trap(
                "the Sessions button still has px-2",
                of="the Sessions button has pl-0 pr-2",
                keys=["Sessions button|Sessions", "still px-2|keeps px-2|kept px-2"],
            ),
            trap(
                "sidebarText lost its padding in button.tsx",
                of="the Show more button got className pl-0",
                keys=["button.tsx", "lost|changed|edited|modified", "sidebarText|variant"],
            ),
        ],
    )
    log.probe(
        "offset-sum",
        "decision",
        "Why did the word Sessions stand too far to the right: from which two paddings, with which "
        "pixels, did its offset add up, to how much, and at how many pixels from the edge should "
        "it "
        "begin instead, level with what of the buttons above?",
        [
            fact(
                "the scroll container gives px-3, 12px",
                type="reason",
                keys=[
                    "scroll|scroll area|scroll container|scrolling|ScrollArea",
                    "px-3",
                    "12px|12 px",
                ],
                said_in=["m0020", "m0022"],
            ),
            fact(
                "the button itself added px-2, 8px",
                type="reason",
                keys=["px-2", "8px|8 px"],
            ),
            fact(
                "the text stood about 20px from the edge",
                type="value",
                keys=["20px|20 px"],
                said_in=["m0020", "m0022"],
            ),
            fact(
                "the text should align at 12px with the icons of New Session and Search",
                type="decision",
                keys=[
                    "12px|12 px",
                    "icon|icons",
                    "align|aligned|aligning|alignment|match|matching|level|flush",
                ],
                said_in=["m0020"],
            ),
        ],
        [
            trap(
                "the text should align at 8px with the icons",
                of="the text should align at 12px with the icons of New Session and Search",
                keys=["align|aligned|aligns|alignment", "8px|16px|24px"],
            ),
            trap(
                "the Sessions button itself added px-4",
                of="the button itself added px-2, 8px",
                keys=["Sessions button|button itself", "px-4"],
            ),
        ],
    )


def ask_components(log: ImportedLog) -> None:
    """What the files say."""
    fact, trap = log.fact, log.trap
    log.probe(
        "variants",
        "recall",
        "Which padding classes do the variants sidebarItem and sidebarText of the button have, "
        "which "
        "size of text has sidebarText, and which horizontal padding does the default size give to "
        "a "
        "button without and with an svg?",
        [
            fact(
                "sidebarItem has px-3 py-2",
                type="value",
                keys=["px-3", "py-2", "sidebarItem|w-full|justify-start"],
                said_in=["m0015"],
            ),
            fact(
                "sidebarText has px-3 py-1.5",
                type="value",
                keys=["px-3", "py-1.5"],
                said_in=["m0015"],
            ),
            fact(
                "sidebarText has text-xs",
                type="value",
                keys=["text-xs", "sidebarText|justify-start|gap-1"],
                said_in=["m0015"],
            ),
            fact(
                "the default size has px-4",
                type="value",
                keys=["default|default size", "px-4"],
                said_in=["m0015"],
            ),
            fact(
                "the default size has px-3 with an svg",
                type="value",
                keys=["svg|icon", "px-3", "default|has-[>svg]:px-3|size|effective|with"],
                said_in=["m0020"],
            ),
        ],
        [
            trap(
                "sidebarText has text-sm",
                of="sidebarText has text-xs",
                keys=["sidebarText", "text-sm"],
            ),
            trap(
                "sidebarItem has px-2",
                of="sidebarItem has px-3 py-2",
                keys=["sidebarItem", "px-2"],
            ),
        ],
    )
    log.probe(
        "button-sizes",
        "continuation",
        "Suppose the whole filter button is to shrink next. Which classes do the sizes icon, "
        "icon-sm "
        "and icon-lg of the button stand for, which size does an svg get that has no size class of "
        "its own, and which library builds the variants?",
        [
            fact("icon is size-5", type="value", keys=["icon", "size-5"], said_in=["m0015"]),
            fact(
                "icon-sm is size-3 p-1",
                type="value",
                keys=["icon-sm", "size-3"],
                said_in=["m0015"],
            ),
            fact(
                "icon-lg is size-10", type="value", keys=["icon-lg", "size-10"], said_in=["m0015"]
            ),
            fact(
                "an svg without a size class gets size-3",
                type="value",
                keys=["svg|svgs", "size-3", "without|unless|not|no size class|no size"],
                said_in=["m0015"],
            ),
            fact(
                "the variants are built by class-variance-authority",
                type="identifier",
                keys=["class-variance-authority|cva"],
                said_in=["m0015"],
            ),
        ],
        [
            trap("icon is size-8", of="icon is size-5", keys=["icon", "size-8|size-9"]),
            trap(
                "an svg without a size class gets size-4",
                of="an svg without a size class gets size-3",
                keys=["svg", "size-4"],
            ),
        ],
    )
    log.probe(
        "buttons-above",
        "recall",
        "How are the two buttons above the Sessions list built: which variant has New Session and "
        "which Search, which height class comes with the variant of Search and which alignment of "
        "its own with that of New Session, and what horizontal padding do their containers have?",
        [
            fact(
                "New Session uses the variant sidebar",
                type="value",
                keys=["New Session", "sidebar|sidebar variant"],
                said_in=["m0016", "m0020"],
            ),
            fact(
                "Search uses the variant sidebarItem",
                type="value",
                keys=["Search", "sidebarItem"],
                said_in=["m0016", "m0020"],
            ),
            fact(
                "the variant sidebarItem sets !h-auto",
                type="value",
                keys=["h-auto|!h-auto", "sidebarItem|justify-start|w-full|Search"],
                said_in=["m0015"],
            ),
            fact(
                "the variant sidebar has self-start",
                type="value",
                keys=["self-start"],
                said_in=["m0015"],
            ),
            fact(
                "their containers have no horizontal padding",
                type="state",
                keys=[
                    "container|containers|wrapper|wrappers|parents",
                    "no horizontal padding|without horizontal padding|no padding|no px|"
                    "not padded|zero horizontal padding",
                ],
                said_in=["m0020", "m0022"],
            ),
        ],
        [
            trap(
                "Search has the variant sidebarText",
                of="Search uses the variant sidebarItem",
                keys=["Search", "sidebarText|ghost"],
            ),
            trap(
                "the container of New Session has px-3",
                of="their containers have no horizontal padding",
                keys=["container of New Session|New Session container", "px-3"],
            ),
        ],
    )


def ask_further(log: ImportedLog) -> None:
    """What was proved, and what a next wish would meet."""
    fact, trap = log.fact, log.trap
    log.probe(
        "proofs",
        "decision",
        "How were the changes proved: which lines of the sidebar were read again after the first "
        "and "
        "which after the last edit, which tool was missing to finish by, and what did the long "
        "diff "
        "of the last edit show besides the new line?",
        [
            fact(
                "462-480 were read after the first edit",
                type="command",
                keys=["462", "480"],
                said_in=["m0005"],
            ),
            fact(
                "356-368 were read after the last edit",
                type="command",
                keys=["356", "368"],
                said_in=["m0029"],
            ),
            fact(
                "there was no submit_and_exit tool",
                type="state",
                keys=[
                    "submit_and_exit",
                    "no|missing|not available|unavailable|lacked|lacking|absent|no submit_and_exit",
                ],
                said_in=["m0006"],
            ),
            fact(
                "the diff showed line-number shifts only",
                type="state",
                keys=[
                    "diff",
                    "shift|shifts|shifted|line-number shifts|line numbers|renumbered|moved lines",
                ],
                said_in=["m0028"],
            ),
        ],
        [
            trap(
                "the diff showed unwanted changes",
                of="the diff showed line-number shifts only",
                keys=["diff", "unwanted|unintended|wrong|damage|other changes"],
            ),
        ],
    )
    log.probe(
        "files-used",
        "file",
        "Which file besides the sidebar was looked into but left as it was, which search was run "
        "over "
        "it, and at which lines does it define sidebar, sidebarItem and sidebarText?",
        [
            fact(
                f"{BUTTON} was read",
                type="path",
                keys=[BUTTON],
                change="read",
                said_in=["m0014"],
            ),
            fact(
                "grep was run for the variants",
                type="command",
                keys=["grep", "sidebarItem|sidebarText|variant|variants|sidebar"],
                said_in=["m0012"],
            ),
            fact("sidebar: 22", type="value", keys=["sidebar", "22"], said_in=["m0013"]),
            fact(
                "sidebarItem: 24",
                type="value",
                keys=["sidebarItem", "24"],
                said_in=["m0013"],
            ),
            fact(
                "sidebarText: 26",
                type="value",
                keys=["sidebarText", "26"],
                said_in=["m0013"],
            ),
        ],
        [
            trap(
                f"{BUTTON} was modified",
                of=f"{BUTTON} was read",
                keys=["button.tsx", "modified|edited|changed|updated"],
            ),
        ],
    )
    log.probe(
        "by-hand",
        "continuation",
        "You try the Sessions and the Show more button by hand. What is the first one called while "
        "a "
        "filter other than All is set, by how many entries does the second one lengthen the list, "
        "and which flag of the history makes it appear even if no "
        "loaded entry is hidden?",
        [
            fact(
                "with another filter its label is the filter",
                type="state",
                keys=["label|name|text|called|reads|says|shows", "filter", "Sessions|label|All"],
                said_in=["m0001"],
            ),
            fact(
                "INITIAL_VISIBLE_THREAD_COUNT is 10",
                type="value",
                keys=["INITIAL_VISIBLE_THREAD_COUNT|entries|threads|more|sessions|by", "10"],
                said_in=["m0001"],
            ),
            fact(
                "mayHaveMoreSessions makes Show more appear",
                type="identifier",
                keys=["mayHaveMoreSessions"],
            ),
        ],
        [
            trap(
                "INITIAL_VISIBLE_THREAD_COUNT is 8",
                of="INITIAL_VISIBLE_THREAD_COUNT is 10",
                keys=["INITIAL_VISIBLE_THREAD_COUNT|entries|Show more", "8|20|50"],
            ),
            trap(
                "isLoadingMore makes Show more appear",
                of="mayHaveMoreSessions makes Show more appear",
                keys=["isLoadingMore|showShowMore", "appear|visible|shown|flag"],
            ),
        ],
    )
    log.probe(
        "look-of-buttons",
        "recall",
        "Beside the paddings, what does button.tsx give: which opacity when disabled, which gap to "
        "every button, and which hover class to the variants secondary, ghost and link?",
        [
            fact(
                "a disabled button has opacity-50",
                type="value",
                keys=["disabled", "opacity-50|50%|disabled:opacity-50"],
                said_in=["m0015"],
            ),
            fact(
                "every button has gap-2",
                type="value",
                keys=["gap-2", "whitespace-nowrap|every|all|base|any|each|buttons|button"],
                said_in=["m0015"],
            ),
            fact(
                "ghost has hover:bg-accent",
                type="value",
                keys=["ghost", "hover:bg-accent|bg-accent"],
                said_in=["m0015"],
            ),
            fact(
                "secondary has hover:bg-secondary/80",
                type="value",
                keys=["secondary", "hover:bg-secondary/80|bg-secondary/80"],
                said_in=["m0015"],
            ),
            fact(
                "link has hover:underline",
                type="value",
                keys=["link", "hover:underline|underline|underlined"],
                said_in=["m0015"],
            ),
        ],
        [
            trap(
                "ghost has hover:bg-primary/90",
                of="ghost has hover:bg-accent",
                keys=["ghost", "hover:bg-primary/90|bg-primary/90"],
            ),
            trap(
                "every button has gap-1",
                of="every button has gap-2",
                keys=["every button|base|all buttons", "gap-1|gap-3"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "cline/session.messages.json",
    "feature",
    "Four small changes of icon and spacing in the sidebar of a desktop app",
    "Apache-2.0",
    "https://github.com/cline/cline",
    conversation="agentic",
)

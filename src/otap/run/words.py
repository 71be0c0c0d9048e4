"""The words that decide the roles of tools. :data:`WORDS_DIGEST` is their version.

The English words were chosen by the names of real tools, which docs/recognition.md lists. The words
of other languages are their plain verbs for looking something up, creating and deleting. Latin
letters have no accents, because names are compared without them.

The names of the tables are part of the digest.
"""

import hashlib
import json

from otap.run import order_words


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _list(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# As the first word of a name: the call only reads.
READING = _set("""
    get list search find look lookup read fetch query check view show describe count retrieve
    verify validate compare inspect peek preview display browse explore grep glob ls cat head
    tail ping scan detect analyze analyse identify recognize summarize translate transcribe
    estimate predict recommend suggest rank classify sum average tally
    scroll hover wait sleep geocode geolocate geolocalizar

    identifiziere vergleiche zaehle analysiere
    suche suchen finde zeige hole lese lies liste abfrage pruefe ermittle
    identifier comparer analyser compter
    obtenir recuperer chercher rechercher trouver lire lister afficher consulter verifier voir
    obtener recuperar buscar encontrar leer listar mostrar consultar verificar ver identificar
    comprobar revisar contar comparar analizar
    obter procurar pesquisar ler exibir conferir localizar comparar analisar
    identifica confronta conta analizza
    ottieni recupera cerca trova leggi elenca mostra visualizza consulta verifica
""")
# As the first word, whatever follows: a question.
ASKING = _set("is has can does are should")
# As the last word: verbs that are no nouns too, as list, count and check are.
READING_LAST = _set("""
    get search lookup read fetch find retrieve validate inspect describe preview show view ls ps
    between until since
    nachschlagen geolocalizar einsehen
    suchen finden anzeigen abrufen lesen auflisten abfragen pruefen
""")
# As the last word, if the first is no verb of writing: information that is read.
READING_NOUN = _set("""
    details detail info information metadata snapshot screenshot history status statistics stats
    logs forecast inventory weather schema directions check checks
""")
# The same, if no other word of the name is a verb of writing: set_temperature writes.
MEASURES = _set("""
    temperature humidity pressure price prices rate rates tariff
    total totals subtotal subtotals count counts
    tariffs alarms holds level levels frequency wetness quota usage availability balance position
    location coordinates top hover telemetry busy auskunft previsto
""")
# Of these, words that may be verbs if they stand alone: to rate a driver.
VERBS_TOO = _set("rate rates position level levels top balance price prices hover")
# As the last word after a verb of running: a trial that changes nothing.
TRIED = _set("test tests lint linter typecheck check checks benchmark dry_run")
RUNNING = _set("run execute exec")
# Conversions of units and money, not of files.
CONVERTING = _set("convert converts")
CONVERTED = _set("unit units currency currencies temperature time timezone distance length weight")
# As the last word after "open": objects that are opened to be read. An account or a ticket is made.
OPENED = _set("""
    page pages url link tab website site browser file files document documents folder article
    product item result review reviews profile message email node nodes
""")
# Verbs of going to a page, the words that stand next to them, and keys of its address.
GOING = _set("navigate goto go visit open load")
GOING_TO_PAGES = GOING | _set("""
    to url page webpage website site web link address browser tab puppeteer playwright
""")
PAGE_KEYS = _set("url uri href address link page website")
# As the second word, after the name of a server: verbs that are no nouns too.
READING_SECOND = _set("get search find fetch read retrieve describe lookup query")
# As the first word: the call changes nothing and looks nothing up.
THINKING = _set("""
    think thinking sequentialthinking plan reason reasoning reflect calculate compute calculator
    nachdenken denke ueberlege berechne berechnen reflechir calculer pensar calcular pensare calcola
""")

THINKING_LAST = _set("think thinking reasoning calculator")  # "get_media_plan" is no thought

# Whole names: the arguments of the call are a message to the user.
ANSWERING = _set("""
    respond respond_to_user reply reply_to_user answer answer_user final_answer submit_answer
    provide_answer give_answer tell_user inform_user notify_user message_user send_message_to_user
    send_user_message say speak attempt_completion finish submit
""")

# Of these, the calls by which a framework ends a run with the answer: they change nothing. The keys
# of their arguments are those of an answer.
ENDING = _set("""
    final_answer submit_answer submit_final_answer provide_answer provide_final_answer give_answer
    give_final_answer answer_user respond respond_to_user finish done attempt_completion
    task_complete complete_task finish_task task_done return_answer submit
""")
ANSWER_KEYS = _set("""
    answer finalanswer text message response result output content summary success taskcompleted
    thought thoughts reason reasoning explanation
""")
# Of these, calls that other work ends with too: an argument must be called an answer.
AMBIGUOUS_ENDING = _set("submit")

# Anywhere in a name: no name of a reading tool has these words.
CHANGING = _set("""
    create delete remove insert modify write overwrite replace upsert destroy purge erase cancel
    send upload edit append revoke terminate wipe define anlegen erstellen loeschen loschen
    aendern andern senden creer supprimer modifier annuler envoyer crear eliminar borrar
    modificar cancelar enviar criar excluir apagar crea elimina modifica annulla invia
""")
# As the first word: the write destroys something.
DESTROYING = _set("""
    delete remove destroy purge erase cancel revoke terminate wipe overwrite drop kill reset revert
    rollback uninstall withdraw rm rmdir truncate
    loeschen loschen supprimer annuler eliminar borrar cancelar excluir apagar elimina annulla
""")
# As the first word, or after "and", "or", "then": the call writes.
WRITING = CHANGING | _set("""
    accept acknowledge activate add adjust allow answer apply approve archive assign attach
    authenticate authorize backup ban begin block book borrow build buy call change charge clean
    clear click clone close comment commit complete compress configure confirm connect control
    convert copy deactivate decline define deploy disable disconnect dismiss dispatch download
    draft drag drop duplicate email enable encrypt enroll enter exchange execute exit export
    fill finalize fix flag flush follow force forget fork format forward generate give grant
    handle hide import increase initialize initiate install invite invoke issue join kill launch
    leave like link lock log login logout make manage mark merge message migrate mount move mute
    navigate notify open operate optimize order pack patch pause pay perform pin place play post
    press print process provision publish pull purchase push put reboot rebook record redeem refill
    refund refuel register reject release remember rename renew reopen reorder reply report
    request rerun reschedule reseat reserve reset resize resolve respond restart restore resume
    return revert rollback rotate run save schedule select sell set share shut shutdown
    sign silence spawn stage star start stop store submit subscribe suspend swap switch sync tag
    take toggle trade train transfer transform trigger turn type unblock uninstall unlink unlock
    unsubscribe update upgrade use vote withdraw abort alter arm ban banish blacklist bump burn
    capture cut debit credit demote detach disarm discard eject empty evict expire fire fund hire
    inject invalidate kick liquidate mint nuke override overrule pin prescribe promote prune
    quarantine reassign recharge repay replicate requeue restock seize settle shred shuffle skip
    sanction sideload sponsor suspend sweep tip trash unassign unban unpin unpublish void waive
    whitelist wire zap zero effacer transferieren ueberweisen sperren freigeben buchen
    stornieren kaufen verkaufen bezahlen reserver payer acheter vendre reservar pagar comprar vender
    prenotare pagare comprare vendere
""")
JOINING = _set("and or then plus und oder dann et ou puis y luego poi depois og eller och en")
# After one of these words a name describes the object, so "or" joins two nouns: by_name_or_type.
DESCRIBING = _set(
    "by for of from in at with per between on fuer von mit par pour de por para di da"
)
# After "and" or "or": verbs that change nothing, though they begin no name of a reading tool.
ALSO_READING = READING | _set("""
    filter sort group format parse extract select return aggregate paginate page match score
    evaluate measure compute calculate map reduce normalize trim merge_results explain report
    print highlight cite quote average sum limit deduplicate count_by expand resolve_name review
""")
# After "and" or "or", where a verb could be too: nouns of data.
NOUNS = (
    READING_NOUN
    | MEASURES
    | _set("""
    address name date time day month year hour type category id code number email phone city country
    state region zip postcode latitude longitude location distance duration size weight height width
    depth length color title description text summary content body subject author owner user
    customer account order item product stock value amount total subtotal tax fee cost currency
    revenue profit margin risk score ratio percent percentage count average median minimum maximum
    min max range limit offset start end begin finish status state stage phase version release
    build branch commit tag label key value field column row table file folder path url link host
    port domain network subnet device sensor signal channel message thread topic comment reply
    rating review feedback language locale currency unit format mime source target origin
    destination route trip flight hotel room seat table reservation booking ticket event calendar
    session speed direction volume density mass energy power voltage current humidity
    temperature rain wind weather climate traffic population gender age height occupation role
    group team project task issue priority severity assignee reporter owner usage cost size music
    artist album song genre lyrics video image photo picture map distance stop station line
    drive recipe ingredient calorie nutrient diagnosis symptom drug dose allergy interaction patient
    doctor parent child spouse sibling employee employer salary department position skill school
    degree grade course student teacher book chapter verse page section paragraph sentence word
    letter character symbol sign open closed active inactive pending available unavailable new old
    past future current previous next first last top bottom upper lower left right inner outer male
    female public private internal external online offline domestic international local remote
    primary secondary supply demand breakfast bed abstract guest host help support research
    development sale sales marketing finance legal operations condition term use privacy safety
    warning error cause effect question answer input output request response header body metadata
    read unread sent received deleted starred archived visible hidden valid invalid
    high low close bid ask spread yield dividend open_interest
""")
)
# As the last word: verbs of changing that are hardly nouns, as in "list_prune".
LAST_VERBS = _set("""
    accept acknowledge activate add adjust apply approve assign authorize clean clear configure
    confirm connect deactivate deploy disable disconnect dismiss dispatch enable encrypt
    enroll execute finalize flush forget generate hide initialize install invoke kill migrate mute
    notify prune provision publish redeem refill register reject rename renew reopen reorder
    reschedule resize resolve restart restock restore revert rotate sell submit subscribe suspend
    toggle unblock uninstall unlink unlock unpublish unsubscribe withdraw whitelist blacklist
    reset void waive seize shred nuke eject override overrule reassign unban unassign
    drop prune settle repay reboot trash evict expire capture detach attach bump promote demote
    effacer transferer transferir transferieren ueberweisen sperren freigeben
""")
# A verb of reading and the word behind it that together mean a change.
MISLEADING = frozenset((
    ("get", "rid"), ("get", "paid"), ("get", "del"), ("check", "in"),
    ("check", "out"), ("check", "off"), ("check", "into"), ("show", "off"),
    ("look", "after"), ("read", "write"), ("fetch", "add"), ("compare", "exchange"),
    ("compare", "swap"), ("find", "replace"), ("search", "replace"), ("count", "down"),
    ("view", "as"), ("wait", "list"), ("scan", "quarantine"), ("sleep", "mode"),
))  # fmt: skip
# Verbs of writing that are nouns too: "issue_read" reads, "save_search" does not.
NOUNS_TOO = (
    _set("""
    issue pull comment order book message post email record report request schedule file tag copy
    process import export draft archive link use share vote trade
""")
    & WRITING
)

# As the first word of a name: the call brings a state about, and doing it again changes nothing.
SETTING = _set("""
    set upsert overwrite apply assign unassign lock unlock enable disable activate deactivate
    update configure delete mark mute unmute block unblock pin unpin archive unarchive ensure close
    mkdir
""")
# Words of a name or a key by which each call adds something, or changes the state before it.
ADDING = _set("""
    add append insert create make increment increase decrement decrease raise bump toggle push pop
    enqueue dequeue send post publish pay charge refund transfer deposit withdraw credit debit buy
    purchase sell order book print next previous prev last latest newest oldest first random another
    more again further additional extra by delta adjust adjustment step steps change offset repeat
    times and or then plus rotate shift swap move cycle reverse invert flip extend top half double
    run trigger execute dispatch invoke notify email log generate inc queue stack
""")
# Nouns of things that such a call makes, or of amounts that it moves.
ADDED = _set("""
    reminder reminders alarm alarms timer timers appointment meeting event fund funds money payment
    payments cash balance credits points coins share shares stock inventory fee fees discount
    coupon voucher bonus tip loan interest penalty promo patch diff migration transaction quantity
    for job positions trade deal
""")
# Nouns of states that are applied; other things are applied for, or applied to an amount.
APPLIED = _set("""
    config configuration manifest manifests setting settings policy theme template label labels
    tag tags filter style rule rules profile preset kubernetes k8s yaml resource resources
""")
# Words of keys whose number may be a difference if the call updates something.
AMOUNTS = _set("amount points hours minutes quantity qty number units count value score votes")
# Words of keys that name an object by its position.
POSITIONS = _set("index row line position nth rank place cursor slot")
# As the first words of a name: the caller says who it is.
LOGIN = _set("login signin logon authenticate")
LOGIN_PAIRS = frozenset((("log", "in"), ("sign", "in"), ("log", "on"), ("sign", "on")))
# Keys and nouns of the things that a check confirms: a one-time code, a payment.
CODE_KEYS = _set("""
    otp onetimepassword onetimepasswd onetimecode onetimepasscode passcode verificationcode
    confirmationcode authcode securitycode smscode mfacode totp twofactorcode 2facode otpcode pin
""")
CONFIRMING = _set("verify validate confirm")
CONFIRMED = _set("payment transaction transfer otp passcode checkout purchase")
# Whole names of tools by which frameworks start another agent, and first words of such names.
STARTING_AGENTS = _set("""
    task run_subagent runsubagent spawn_agent dispatch_agent start_subagent launch_agent
    delegate_work_to_coworker ask_question_to_coworker delegate_work_to_co_worker
    ask_question_to_co_worker call_agent new_task
""")
PASSING_TO_AGENTS = frozenset((("transfer", "to"), ("handoff", "to"), ("hand", "off")))

# As the last word behind a noun that is a verb too, except verbs of telling: "order_status" reads,
# "post_status" does not.
SUMMARIES = _set("status total totals subtotal subtotals count counts")
PUBLISHING = _set("""
    post share email message report comment record draft export import archive use copy
""")

# As the status of a result: the call failed or was refused.
REFUSED = _set("""
    failed failure fail error denied rejected declined refused forbidden unauthorized unauthorised
    invalid aborted timeout timed_out blocked unsuccessful abgelehnt verweigert versagt
    fehlgeschlagen gescheitert rechazado rechazada denegado denegada fallido fallida refusé refusée
    rejeté rejetée échoué échec rifiutato rifiutata negato negata fallito fallita recusado recusada
    negado negada rejeitado rejeitada geweigerd afgewezen mislukt odrzucono odmowa reddedildi
    başarısız avvisad nekad avslagen avvist afvist mislykkedes ditolak gagal отклонено отказано
    ошибка відхилено 失败 拒绝 失敗 拒否 エラー 실패 거부 오류
""")
# Words of an error code, which is written in capitals: PERMISSION_DENIED, RESOURCE_EXHAUSTED.
ERROR_CODES = _set("""
    denied forbidden unauthorized unauthenticated invalid failed failure error exhausted unavailable
    timeout aborted rejected expired insufficient exceeded notfound conflict refused declined
    unprocessable precondition exists exception
""")
# At the end of a clause, behind the noun of the call: "Deployment was rejected: ...".
FAILING = _set("""
    failed rejected declined denied refused aborted blocked forbidden unsuccessful fehlgeschlagen
    abgelehnt verweigert gescheitert abgebrochen rechazado rechazada denegado denegada fallido
    fallida falló refusé refusée rejeté rejetée échoué échouée rifiutato rifiutata negato negata
    fallito fallita recusado recusada negado negada rejeitado rejeitada falhou geweigerd afgewezen
    mislukt odrzucono odrzucona odrzucony odmówiono reddedildi başarısız avvisad avvisades nekad
    nekades misslyckades avslagen avslogs avvist mislyktes afvist mislykkedes zamítnuto zamítnuta
    selhalo selhala ditolak gagal отклонено отклонён отклонена отказано отклонен відхилено
    відмовлено
""")
# At the beginning or the end of a short result, in scripts without blanks or with endings.
FAILING_PHRASES = _list("""
    失败 拒绝 被拒 无法 错误 失敗 拒否 できません エラー 却下 실패 거부 오류 거절
    فشل رفض مرفوض विफल अस्वीकृत असफल thất_bại bị_từ_chối
    не_удалось не_вдалося nie_udało_się nie_powiodło_się konnte_nicht wurde_nicht kann_nicht
    no_se_pudo no_fue_posible no_se_ha_podido n'a_pas_pu impossible_de non_è_stato_possibile
    impossibile não_foi_possível kon_niet kunde_inte kunne_ikke se_nepodařilo tidak_dapat
    yapılamadı edilemedi
""")
DENYING_PHRASES = _list(
    "没有 无错误 成功 エラーなし エラーはありません 없습니다 성공 بدون без_ошибок"
)
# In a clause with one of these words nothing is reported as done, or as failed.
DENYING = _set("""
    no not none never nothing without cannot can't couldn't could would should must will already
    unable if unless before until once be 0 zero don't doesn't didn't isn't wasn't won't nicht kein
    keine no_one pas ne sin non não niet ikke inte
""")
# Participles of changes that a result reports as done.
DONE = _set("""
    deleted removed created updated transferred sent paid executed applied booked charged refunded
    inserted dropped truncated granted revoked installed uninstalled deployed uploaded published
    pushed committed merged written overwritten renamed moved unlocked enabled disabled activated
    deactivated cancelled canceled purchased posted issued scheduled restarted destroyed configured
    patched scaled processed succeeded replaced assigned archived submitted delivered forwarded
    imported exported added purged wiped reset terminated migrated restored shared accepted queued
    completed credited debited withdrawn banned blocked erased discarded dispensed printed
    überwiesen gelöscht gesendet erstellt bezahlt geändert angelegt gebucht storniert eliminado
    creado enviado pagado transferido supprimé créé envoyé payé transféré eliminato creato inviato
    pagato trasferito excluído criado
""")
# As a state: the call was done, whatever else its result reports.
DONE_STATES = _set("""
    executed success succeeded successful ok done applied completed complete processed accepted
    partial partial_success partially_completed
""")
# Of the participles, those that say of any call that it was done.
DONE_WORDS = _set("executed processed succeeded applied committed accepted queued completed")
# Keys of the number or the list of changes.
CHANGED_KEYS = _set("""
    deleted updated created inserted modified affected rowsaffected affectedrows rowcount removed
    sent processed succeeded successful replaced written transferred moved deletedcount
    insertedcount modifiedcount updatedcount successcount succeededcount completed recordsaffected
    documentsaffected charged refunded paid forced
""")

# A handoff: its verb comes first, and a person or an agent after it.
HANDING_OVER = _set("escalate delegate handoff handover hand")  # with any object
PASSING_ON = _set("""
    transfer forward route assign connect redirect transferir derivar transferer trasferire
    encaminhar
""")  # only with an object in CASES
HANDED_OVER = _set("handoff handover escalation transfer takeover")  # as a noun, at the end
# What belongs to somebody: to pass it on is no handoff.
VALUABLES = _set("""
    permission permissions privilege privileges right rights access role roles admin owner ownership
    account accounts fund funds money payment payments cash balance amount credit credits asset
    assets token tokens key keys secret secrets password credential credentials wallet points share
    shares stock inventory license domain property control savings checking wallets vault treasury
    bank iban card cards
""")
CASES = _set("call chat conversation customer user caller session case client me us it over off up")
BETWEEN = _set("to with back the a an live next other another un una um uma ao al por")
PEOPLE = _set("""
    human humans agent agents person people operator operators representative representatives rep
    supervisor supervisors support staff specialist specialists expert experts team teams manager
    managers coworker coworkers colleague colleagues humano humana agente humain operador
    operatore operateur conseiller atendente
""")

# Whole names, in lower case, of well-known tools whose words mislead.
KNOWN_TOOLS = {
    **dict.fromkeys(_set("todowrite todoread write_todos update_plan"), "thinks"),
    **dict.fromkeys(_set("exitplanmode enterplanmode"), "thinks"),
    **dict.fromkeys(
        _set("tasklist taskoutput bashoutput directory_tree git_log git_show"), "reads"
    ),
    **dict.fromkeys(_set("git_diff git_diff_unstaged git_diff_staged"), "reads"),
    **dict.fromkeys(
        _set("pwd cd du wc sort diff mean screenshot inventory ocr geocode whoami tflint"), "reads"
    ),
    **dict.fromkeys(
        _set("go_back go_forward terraform_plan resolve-library-id lint run_linter"), "reads"
    ),
}

# Beginnings and endings of names without blanks between words, in Chinese and Japanese.
THINKING_SIGNS = _list("思考 推理")
READING_SIGNS = _list("查询 获取 搜索 查看 读取 列出 检索 查找 取得 検索")
READING_ENDS = _list("取得 検索 参照 閲覧 照会 一覧 確認")
JOINING_SIGNS = _list("并 然后 及 和 再")
CHANGING_SIGNS = _list("""
    创建 新建 删除 更新 修改 添加 取消 发送 预订 支付 提交 转账 退款 保存
    作成 削除 変更 追加 送信 登録 予約 保存 キャンセル
""")
HANDING_OVER_SIGNS = _list("转人工 转接人工 オペレーターに転送")

# Tools whose arguments decide the role of a call.
REQUESTS = _set("http https request requests fetch rest api url curl")
SHELLS = _set("bash sh zsh shell terminal command cmd exec powershell pwsh")
EDITORS = _set("editor edit")
INTERPRETERS = _set("""
    python python3 ipython jupyter notebook code interpreter repl cell script javascript node
""")
DATABASES = _set("""
    sql database db postgres postgresql mysql mariadb sqlite duckdb bigquery snowflake redshift
    query
""")

# Shell commands that only read, with any arguments.
COMMANDS = _set("""
    ls cat head tail grep egrep fgrep zgrep pwd wc cd echo printf true false test [ nl tac rev cut
    tr column file stat du df which whereis type whoami id uname ps uptime free basename dirname
    realpath readlink md5sum sha1sum sha256sum cksum cmp comm diff jq od strings nslookup ping
    printenv lsof lsblk read mypy pyright flake8 pylint shellcheck for done fi
    dig host traceroute netstat nproc groups getent last who w lscpu findmnt vmstat zcat bzcat xzcat
    hexdump sha512sum b2sum seq sleep numfmt paste expand fold hadolint yamllint
""")
# Commands that read unless an argument begins with one of these.
COMMANDS_UNLESS = {
    "find": ("-delete", "-exec", "-ok", "-fprint", "-fls"),
    "fd": ("-x", "-X", "--exec"),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("-o", "--output", "--compress-program"),
    "tree": ("-o", "--output"),
    "less": ("-o", "-O", "--log-file", "--LOG-FILE", "+", "-k", "--lesskey"),
    "pytest": ("--snapshot-update", "--inline-snapshot"),
    "eslint": ("--fix", "-o", "--output"),
    "ruff": ("format", "--fix", "clean", "--add-noqa", "-o", "--output"),
    "gofmt": ("-w", "-cpuprofile"),
    "ss": ("-K", "--kill"),
    "dmesg": ("-c", "-C", "--clear", "--read-clear", "-D", "-E", "-n", "--console"),
    "yq": ("-i", "--inplace", "-s", "--split"),
    "tflint": ("--fix", "--init"),
    "shuf": ("-o", "--output"),
    "journalctl": ("--vacuum", "--rotate", "--flush", "--sync", "--relinquish", "--update"),
}
# Commands that read if one of these words follows, or two of them joined by a sign: image:ls.
COMMANDS_WITH = {
    "git": _set("""
        status log diff show blame annotate ls-files ls-tree ls-remote rev-parse rev-list describe
        shortlog cat-file merge-base name-rev for-each-ref show-ref show-branch diff-tree diff-index
        diff-files grep whatchanged count-objects check-ignore check-attr cherry range-diff version
        stash:list stash:show remote:show remote:get-url reflog:show worktree:list submodule:status
        config:--get config:--get-all config:--list config:-l config:list config:get notes:show
    """),
    "kubectl": _set("""
        get describe logs top explain version api-resources api-versions diff events wait options
        config:view config:current-context config:get-contexts config:get-clusters config:get-users
        cluster-info auth:can-i auth:whoami rollout:status rollout:history plugin:list
    """),
    "docker": _set("""
        ps images logs inspect version info stats top history port diff search events
        image:ls image:list image:inspect image:history container:ls container:list container:ps
        container:inspect container:logs container:top container:stats container:port
        container:diff volume:ls volume:list volume:inspect network:ls network:list network:inspect
        system:df system:info system:events context:ls context:show context:inspect node:ls node:ps
        node:inspect service:ls service:ps service:inspect service:logs stack:ls stack:ps
        stack:services manifest:inspect
    """),
    "docker-compose": _set("ps logs images ls top version port config"),
    "helm": _set("""
        list ls status get history hist show inspect search version env lint verify template
        repo:list dependency:list plugin:list
    """),
    "pip": _set(
        "list show freeze check index inspect config:list config:get cache:list cache:info"
    ),
    "uv": _set("pip:list pip:show pip:freeze pip:check pip:tree python:list tool:list"),
    "cargo": _set("test check clippy tree metadata search info audit outdated"),
    "go": _set("test vet list version env doc mod:graph mod:why mod:verify"),
    "terraform": _set("""
        plan validate show output version graph state:list state:show state:pull workspace:list
        workspace:show providers:schema
    """),
    "systemctl": _set("""
        status show list-units list-unit-files list-timers list-sockets list-jobs list-paths
        list-dependencies is-active is-enabled is-failed is-system-running cat get-default
        show-environment
    """),
    "systemd-analyze": _set("verify time blame critical-chain security calendar dump unit-paths"),
    "loginctl": _set("list-sessions list-users show-session show-user session-status user-status"),
    "hostnamectl": _set("status"),
    "timedatectl": _set("status show list-timezones"),
    "nginx": _set("-t -T -v -V"),
    "apt": _set("list show search policy depends rdepends"),
    "apt-cache": _set("search show policy depends rdepends madison showpkg stats"),
    "brew": _set("list ls info search outdated deps config doctor"),
    "dpkg": _set("-l -L -s -S --list --listfiles --status --search"),
    "crontab": _set("-l"),
    "ip": _set("addr:show address:show a:show link:show route:show neigh:show"),
    "bq": _set("ls show head version"),
}
for _name, _other_names in (("docker", "podman"), ("pip", "pip3"), ("terraform", "tofu")):
    COMMANDS_WITH[_other_names] = COMMANDS_WITH[_name]
# Verbs that read with these options at most; behind the options that ask for a list, patterns may
# follow.
LISTING = {
    "git": {
        "branch": _set("-a -r -v -vv --all --remotes --verbose --show-current --sort --format"),
        "tag": _set("-n --sort --format"),
        "remote": _set("-v --verbose"),
        "reflog": _set("--oneline"),
    },
    "terraform": {"providers": _set("-no-color")},
    "ip": dict.fromkeys(_set("a addr address link route r neigh"), _set("")),
}
ASKING_FOR_LISTS = _set("-l --list --contains --merged --no-merged --points-at")
# Options by which a command, or its verb, writes although it reads otherwise.
WRITING_OPTIONS = {
    "git": _set("-O --open-files-in-pager --upload-pack --exec"),
    "kubectl": _set("--output-directory"),
    "go": _set("-c -exec -vettool -toolexec"),
    "go env": _set("-w -u"),
    "cargo": _set("--fix"),
    "docker": _set("--bootstrap"),
    "docker-compose": _set("-o --output --lock-image-digests"),
    "helm": _set("--post-renderer --output-dir"),
    "terraform": _set("-out --out -generate-config-out --generate-config-out"),
}
# Formatters that read if they are asked to check only.
CHECKING = {
    "terraform": {"fmt": _set("-check --check -write=false --write=false")},
    "tofu": {"fmt": _set("-check --check -write=false --write=false")},
    "cargo": {"fmt": _set("--check")},
    "ruff": {"format": _set("--check --diff")},
    "black": {"": _set("--check --diff")},
    "isort": {"": _set("--check --check-only -c --diff")},
    "prettier": {"": _set("--check -c --list-different -l")},
}
# Verbs of waiting for the end of other work: kubectl rollout, aws s3api wait, gh run watch.
WAITING = _set("rollout wait watch")
# Options before the verb that choose an object, and take a value.
CHOOSING = {
    "git": _set("-C"),
    "kubectl": _set("-n --namespace --context --cluster --user"),
    "helm": _set("-n --namespace --kube-context"),
    "docker": _set("--context -c"),
    "terraform": _set("-chdir"),
    "systemctl": _set("-M --machine -H --host -t --type -n --lines"),
    "aws": _set("--profile --region --output --endpoint-url --query"),
    "gh": _set("-R --repo"),
    "docker-compose": _set("-f --file -p --project-name --profile --env-file"),
    "gcloud": _set("--project --account --format"),
}
# Options before the verb that take no value.
PRESENTING = _set("--no-pager --user --system -q --quiet --all -a --no-color --full")
# Commands whose second word is an object, and the third a verb.
COMMANDS_OF_THINGS = {
    "aws": (
        "ls",
        "list",
        "list-",
        "describe-",
        "head-",
        "wait",
        "query",
        "scan",
        "batch-get-",
        "filter-log-events",
        "lookup-events",
        "tail",
        "validate-template",
        "get-caller-identity",
        "get-parameter",
        "get-parameters",
        "get-parameters-by-path",
        "get-secret-value",
        "get-bucket-",
        "get-public-access-block",
        "get-item",
        "get-log-events",
        "get-metric-",
        "get-role",
        "get-role-",
        "get-user",
        "get-user-",
        "get-policy",
        "get-policy-",
        "get-group",
        "get-function-configuration",
        "get-queue-",
        "get-topic-",
        "get-cost-",
        "get-template",
        "get-rest-api",
        "get-hosted-zone",
        "get-console-output",
        "get-account-",
        "get-query-results",
        "get-work-group",
    ),
    "gh": ("list", "view", "status", "diff", "checks", "watch"),
}
# Verbs of reading behind the groups of gcloud and az, and groups of gcloud in the singular.
CLOUD_VERBS = _set("""
    list describe show read get-value get-iam-policy list-tags get-ancestors list-sizes list-skus
    list-locations get-instance-view get-server-config
""")
CLOUD_GROUPS = _set("config auth logging")
READING_NPM = _set("""
    ls list ll la view info show v outdated test explain why doctor ping root prefix whoami search
    fund
""")
# Goals of make, scripts of npm and modules of Python that test, lint or check types.
TRYING = _set("test tests check lint typecheck type-check mypy")
TRYING_MODULES = _set("pytest unittest mypy pyright flake8 pylint doctest")
CURL_OPTIONS = _set("""
    -s -S -L -I -i -k -f -sS -sL -sSL -fsSL -sI -fsS -sf -sfL -fs -fSs -v -sv
    --silent --location --head --fail --insecure --show-error --compressed
""")

CURL_LETTERS = frozenset("sSLIikfvg")
# Further options of curl, each with a value that sends nothing and saves nothing.
CURL_VALUES = _set("""
    -H --header -m --max-time --connect-timeout --retry --retry-delay -A --user-agent -u --user -e
    --referer --resolve -X --request -o --output -w --write-out
""")
GH_FLAGS = _set("--paginate -i --include --silent --slurp --verbose")
GH_VALUES = _set("-X --method -H --header -q --jq -t --template --hostname --cache")
WGET_OPTIONS = _set("-q --quiet -nv --no-verbose --spider -S --server-response")
WGET_VALUES = _set("-O --output-document -T --timeout -t --tries --header -U --user-agent")
# Options of clients of databases without a value, and those with one.
CLIENT_FLAGS = _set("""
    -A -t -x -q -X -w -At -tA -qAt -Atq -N -B -header -csv -json -readonly --csv --no-psqlrc --batch
    --skip-column-names --quiet --tuples-only --no-align --expanded
""")
CLIENT_VALUES = _set("""
    -d -h -U -p -P -u -D -F -v -c -e -tAc -Atc -tc -Ac --dbname --host --username --port --user
    --database --command --execute --password
""")
CLIENT_STATEMENTS = _set("-c -e -tAc -Atc -tc -Ac --command --execute")
# Options of ssh with a value and without one; -o may name a program.
SSH_VALUES = _set("-p -l -i -J -o")
SSH_FLAGS = _set("-q -T -t -n -v -4 -6 -A -C")
SSH_SETTINGS = ("BatchMode=", "ConnectTimeout=", "StrictHostKeyChecking=", "LogLevel=")

# Commands that have a dry run, and the options that ask for it, by the verb; "": for other verbs.
_LONG = frozenset(("--dry-run",))
_SIMULATED = frozenset(("-s", "--simulate", "--dry-run", "--just-print", "--no-act", "--recon"))
_DRY_RUN_OPTIONS: dict[str, frozenset[str]] = {
    "npm pnpm cargo poetry pip pip3 uv helm patch rclone semantic-release certbot git": _LONG,
    "apt-get apt aptitude": _SIMULATED,
    "kubectl oc": _set("--dry-run --dry-run=client --dry-run=server"),
    "aws": _set("--dry-run --dryrun"),
    "rsync make cap fastlane": _set("--dry-run -n"),
    "ansible-playbook": _set("--check -C --syntax-check --list-tasks"),
    "rename": _set("-n --no-act --nono"),
    "dnf yum": _set("--assumeno"),
}
DRY_RUNS = {
    command: {"": options}
    for commands, options in _DRY_RUN_OPTIONS.items()
    for command in commands.split()
}
DRY_RUNS["git"].update(dict.fromkeys(_set("add clean mv rm push"), _set("--dry-run -n")))
DRY_RUNS["docker"] = {"compose": _LONG}
# Commands that change only the state of the shell itself.
SHELL_STATE = _set("""
    set export unset exit return : sleep wait pushd popd umask ulimit local shopt declare readonly
""")
# Commands that change many objects one after the other, and their number of operands for one.
MANY_AT_ONCE = {
    **dict.fromkeys(("rm", "shred", "unlink", "rmdir", "truncate", "touch", "mkdir"), 1),
    **dict.fromkeys(("chmod", "chown", "chgrp", "cp", "mv", "install", "ln"), 2),
    **dict.fromkeys(("rsync", "find", "sed"), 2),
}
# Clients of databases, which run several statements; and commands that run other commands.
CLIENTS = _set("psql mysql mariadb sqlite3 mongosh mongo duckdb cqlsh snowsql bq redis-cli")
RUNNERS = _set("""
    bash sh zsh ssh eval su env nohup xargs parallel watch docker podman kubectl node perl ruby php
    python python3 pwsh powershell cmd
""")
# Keys whose value names the kind of work of a call; and the headers that replace its method.
ACTION_KEYS = _set("""
    action operation op verb command subcommand cmd method do task func function event mode act
    operationname
""")
OVERRIDE_KEYS = _set("xhttpmethodoverride xhttpmethod xmethodoverride methodoverride httpmethod")
# In the path of an address.
ENDING_VERBS = _set("reset logout shutdown wipe reboot poweroff selfdestruct uninstall")
# As the first word of a key that is true: "delete_after", "mark_as_read", "apply".
SWITCHES = (
    CHANGING
    | _set("""
    apply fix autofix commit execute reset archive publish notify submit clear activate deactivate
    save book pay charge mark repair approve confirm enable disable install deploy restart push
    merge rename move restore sync
""")
    | LAST_VERBS
    | DESTROYING
)
# Keys of data that no look-up needs: an amount to be paid, a right to be granted.
PAYLOAD_KEYS = _set("""
    amount iban recipient beneficiary payee payload newpassword newvalue newowner newrole
    permission privilege role grantee sum bankaccount toaccount
""")
# Keys of a secret in the address of a request.
SECRET_KEYS = _set("""
    token accesstoken authtoken password passwd pwd secret apikey clientsecret credential
    privatekey sessionid sessiontoken cookie jwt bearer authorization ssn creditcard cardnumber
    refreshtoken awssecretaccesskey secretkey otp pin
""")
# Addresses of pages to be read, whose words are titles.
DOCUMENTATION = _set("""
    docs doc documentation wiki help blog blogs guide guides reference manual articles article
    learn tutorials tutorial news questions faq support kb
""")
# Words of a key that protects if it is true, and those that turn its meaning round.
PROTECTIVE = _set("""
    verify verification validate validation check checks tls ssl certificate certificates signature
    signatures checksum mfa totp twofactor 2fa approval approvals authorization authentication auth
    backup backups snapshot audit auditing logging safe safety secure security encrypt encrypted
    encryption guard guards guardrails protect protection protected lock locking locked sandbox
    sandboxed interlock interlocks alarm firewall quarantine moderation sanitize sanitise escape
    consent unsubscribed optout confirmation captcha csrf dedupe deduplicate idempotent atomic
    transaction transactional rollback versioning retention watchdog throttle ratelimit
    antivirus scan masking redact redaction anonymize anonymise collision limits
    review reviewed screening kyc aml preflight healthcheck failsafe
""")
INVERTING = _set("""
    skip no disable disabled without ignore ignored bypass omit suppress avoid not unset off
    override drop remove
""")
# Words of a key that protects if it is false.
UNPROTECTIVE = _set("""
    force forced insecure unsafe unsafely unrestricted unverified unchecked unauthenticated
    unencrypted privileged noverify autoapprove anonymous overridden bypass skipchecks permissive
    allowinsecure dangerously yolo irreversible
""")
# As the last word: the key names something, and is no switch.
NAMING = _set("id ids code number count date time name type url key path file version by at in out")
# Options of commands that switch a protection off.
UNSAFE_OPTIONS = _set("""
    --no-verify --force -k --insecure --no-check-certificate --no-gpg-sign --allow-unauthenticated
    --skip-checks --skip-tests --skip-validation --no-validate --auto-approve --no-backup
    --privileged --disable-content-trust --no-preserve-root --trust-server-cert
    --break-system-packages --allow-root --no-sandbox --dangerously-skip-permissions
    --no-lock --skip-backup --unsafe-perm
""")
# Keys that make a call a dry run if they are true.
REHEARSING = _set("dryrun dry simulate validateonly whatif checkmode noop previewonly")
# Keys whose values the client generates, such as idempotency keys: they do not describe the call.
# The keys of requests count as such only if the call is not about requests.
CLIENT_KEYS = _set("""
    idempotencykey idempotency idempotencytoken nonce clienttoken clientrequesttoken
    clientrequestid requesttoken correlationid traceid spanid traceparent deduplicationid
    messagededuplicationid dedupkey xrequestid
""")
REQUEST_CLIENT_KEYS = _set("requestid requestkey")
# Keys with the time limit or the purpose of a shell command.
ABOUT_COMMANDS = _set("timeout timeoutm timeoutsec timeoutsecond description explanation")

# First words of SQL statements that read, and words that no such statement contains.
SELECTING = _set("select show describe desc explain with values")
STATING = _set("""
    insert update delete merge upsert replace create alter drop truncate rename grant revoke call
    exec execute into set lock copy load import export vacuum analyze attach detach begin commit
    rollback nextval setval pragma do
""")
# Statements that are functions too: replace(name, 'a', 'b') computes a text.
ALSO_FUNCTIONS = _set("replace insert truncate")
# Words before a bracket in a statement: functions that only compute, and words of the grammar.
SQL_FUNCTIONS = _set("""
    in values and or not where from select on as exists any all some using join over filter within
    group by when then else case between like ilike having union except intersect limit offset
    interval distinct partition rows range array row lateral is end with materialized
    only bernoulli recursive

    count sum avg min max total stddev stddev_pop stddev_samp variance var_pop var_samp corr
    covar_pop covar_samp median mode percentile_cont percentile_disc approx_count_distinct
    group_concat string_agg array_agg listagg json_agg jsonb_agg json_object_agg jsonb_object_agg
    json_group_array json_group_object bool_and bool_or every bit_and bit_or any_value first last
    countif count_if sumif approx_quantiles hll_count arg_min arg_max

    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value
    nth_value

    coalesce nullif ifnull isnull nvl nvl2 iff if iif decode greatest least cast try_cast convert
    safe_cast to_char to_date to_number to_timestamp typeof choose

    abs ceil ceiling floor round trunc truncate sign mod power pow sqrt cbrt exp ln log log2 log10
    sin cos tan asin acos atan atan2 degrees radians pi random rand greatest least div width_bucket

    lower upper initcap length len char_length character_length octet_length trim ltrim rtrim btrim
    lpad rpad left right substr substring position strpos instr locate charindex replace translate
    reverse repeat concat concat_ws split_part split format printf quote_literal quote_ident chr
    char ascii unicode md5 sha1 sha256 sha2 hex unhex encode to_base64 from_base64 regexp_replace
    regexp_matches regexp_match regexp_substr regexp_extract regexp_contains regexp_like
    regexp_count starts_with ends_with startswith endswith contains soundex levenshtein similarity
    stuff string_to_array array_to_string overlay glob to_hex

    now current_date current_time current_timestamp localtime localtimestamp getdate getutcdate
    sysdate curdate curtime date time datetime timestamp timestamptz datetrunc date_trunc date_part
    datepart extract age julianday strftime unixepoch date_add date_sub dateadd datediff date_diff
    timestampdiff timestamp_diff timestamp_trunc timestamp_add timestamp_sub date_format
    str_to_date from_unixtime unix_timestamp year quarter month week weekofyear day dayofmonth
    dayofweek dayofyear hour minute second dayname monthname last_day make_date make_timestamp
    eomonth add_months months_between format_date format_timestamp parse_date parse_timestamp
    to_days isodow epoch clock_timestamp timezone adddate subdate timediff makedate

    json_extract json_value json_query json_extract_path json_extract_path_text json_array_length
    jsonb_array_length json_each jsonb_each json_array_elements jsonb_array_elements json_object
    json_array json_type json_valid json_extract_scalar json_build_object jsonb_build_object to_json
    to_jsonb row_to_json jsonb_path_query parse_json get_path json_keys json_length json_contains
    json_array_elements_text jsonb_array_elements_text json_each_text jsonb_each_text

    array_length cardinality array_position array_contains array_size unnest generate_series
    generate_date_array generate_array flatten explode size element_at
    list_contains

    st_distance st_within st_contains st_intersects st_makepoint st_point st_x st_y st_dwithin
    st_area st_length st_astext st_asgeojson st_geomfromtext st_buffer haversine

    varchar nvarchar char nchar character numeric decimal dec float double bit varbinary number
    to_tsvector to_tsquery plainto_tsquery ts_rank match against grouping rollup cube sets struct
    version database schema current_user current_database current_schema user found_rows
    table_info
""")
# Functions of Python that only compute or read.
PURE_CALLS = _set("""
    print len range int str float bool dict list set tuple frozenset sorted min max sum abs round
    enumerate zip map filter any all isinstance issubclass type getattr hasattr repr format iter
    next reversed ord chr hash id vars dir loads dumps load read readline readlines read_text
    read_bytes split rsplit splitlines strip lstrip rstrip join lower upper title startswith
    endswith find index count get items keys values append extend copy deepcopy head tail describe
    info mean median std var groupby agg value_counts unique nunique isna isnull notna fillna
    sort_values sort_index reset_index set_index astype DataFrame Series array asarray arange zeros
    ones linspace reshape Path exists is_file is_dir glob iterdir rglob listdir isfile isdir getsize
    basename dirname abspath match search findall finditer fullmatch sub compile now today datetime
    date timedelta strftime strptime isoformat fromisoformat time sqrt floor ceil log exp sin cos
    Counter defaultdict OrderedDict namedtuple combinations permutations product chain pprint
    deque partition zfill ljust rjust encode decode hexdigest md5 sha256 b64decode b64encode
    BeautifulSoup find_all select text json Decimal Fraction getcwd getenv Exception ValueError
    RuntimeError KeyError TypeError AssertionError SystemExit
""")


def _sort_table(table: object) -> object:
    if isinstance(table, dict):
        return sorted((key, _sort_table(value)) for key, value in table.items())
    return sorted(table) if isinstance(table, frozenset) else table


def _list_tables(names: dict[str, object]) -> list[object]:
    return [
        (name, _sort_table(names[name]))
        for name in sorted(names)
        if name.isupper() and name[0] != "_"
    ]


WORDS_DIGEST = hashlib.sha256(
    json.dumps([_list_tables(globals()), _list_tables(vars(order_words))]).encode()
).hexdigest()

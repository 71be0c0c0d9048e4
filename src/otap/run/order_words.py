"""The words by which :mod:`otap.run.precedence` judges whether the order of two changes matters.

All words are lower-case, in the singular, and without accents.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Things of which a run has one, though no argument names it. Two calls whose tools have a word of
# one group, anywhere in the name, act on the same thing.
IMPLICIT_OBJECTS: dict[str, frozenset[str]] = {
    "machine": _set("""
        gripper grip grasp ungrasp arm robot drone pipette aspirate dispense waypoint joystick motor
        servo actuator spindle nozzle conveyor crane winch rover steering throttle takeoff
        turtle pen laser drill weld lathe cnc syringe burner stirrer shake vortex centrifuge rotor
        oven furnace elevator valve pump hopper boom blade turret claw effector
        extruder plotter nebuliser incubator autoclave kiln wafer chuck
        greifer roboter pinza brazo bras pince braccio braco garra
    """),
    "screen": _set("""
        cursor mouse keyboard browser click doubleclick dblclick rightclick keypress keystroke
        hotkey keydown keyup scroll hover drag tap swipe navigate viewport clipboard paste undo redo
        caret playwright puppeteer webdriver goto type type_text input_text send_key press press_key
        touch key_press wait_for_navigation
    """),
    "game": _set("""
        chess checkers board make_move end_turn piece castle dice player opponent attack defend
        fight craft mine loot equip enemy monster soldier troop hero boss weapon armor shield
        recruit barrack battle pawn knight bishop rook inventory dungeon quest spell potion deck
        discard bet fold
    """),
    "player": _set("""
        play pause resume playback seek skip volume shuffle player playlist enqueue mute set_volume
    """),
    "cart": _set("cart basket checkout coupon voucher promo warenkorb carrito panier carrello"),
    "editor": _set("""
        editor cursor caret paste undo redo insert_text delete_text replace_text replace_all buffer
        save canvas brush crop resize watermark rotate flip blur sharpen
    """),
    "repository": _set("git commit stage stash rebase cherrypick push"),
    "session": _set("login logout signin signout session"),
}
# Verbs of bodies and machines; a tool whose name has no other words moves the one body of the run.
BODY_VERBS = _set("""
    move lower raise lift drop pick place put push pull turn rotate tilt spin stir mix pour heat
    cool go walk drive fly hover dock undock climb jump attack take unlock lock open close press
    hold release grab throw catch eject load unload bake knead weigh cut glue screw paint rinse
    spray aim fire shoot step forward backward left right up down crouch enter leave wait look use
    equip eat drink wear read ascend descend fill empty clamp tighten loosen strike hit fold spread
    bewege hebe senke drehe oeffne schliesse nimm gehe mover girar subir bajar tomar abrir cerrar
""")
# Of a tool that runs with a machine of the same run.
HANDLING = BODY_VERBS | _set(
    "insert attach detach install mount replace remove clean set add start"
)
# Words that may stand in such a name: directions, and words without a meaning of their own.
BODY_FILLERS = _set("""
    to the a an of on off in out into from with at by up down left right forward backward backwards
    forwards over under above below home position pose point target angle joint axis height block
    north south east west here there
""")
# The call sets the state for every later call: the user, the directory of commands.
CONTEXT_VERBS = _set("""
    login signin su sudo impersonate cd chdir pushd popd logout signout connect disconnect dial hang
    begin rollback mount unmount acquire
    unseal quit exit
""")
CONTEXT_NAMES = _set("""
    log_in sign_in log_out sign_out set_context change_directory set_directory set_cwd
    git_checkout checkout_branch set_mode change_mode set_tool select_tool
    open_app launch_app close_app close_browser quit_app exit_app
""")
# The same for a name that begins with one of the first and has one of the second.
CHOOSING = _set("switch select use assume choose")
SCOPES = _set("""
    connection cluster subscription organisation organization org schema network keyspace
    user account project database context directory environment profile tenant workspace branch
    region role tab window frame
""")
# Verbs that finish the state that earlier calls built, if nothing says which state.
FINISHING = _set("""
    save submit send checkout commit publish finish complete confirm finalize finalise execute run
    apply start export print render deploy build compile close logout end stop shutdown flush
    speichern absenden abschicken guardar enviar enregistrer envoyer salvare inviare salvar
""")
# As the first word of a name: the call informs somebody.
INFORMING = _set("""
    say speak comment dm answer
    email mail notify announce inform tell tweet broadcast reply respond alert message sms text
    benachrichtige benachrichtigen informiere informieren antworte mitteilen notificar avisar
    informar responder notifier prevenir informer repondre notificare avvisare informare rispondere
    通知 告知 回复
""")
# The same, if the call has a text.
NOTING = _set("log page call document chart journal")
# As the first word of a name with one of MESSAGES.
SENDING = _set("""
    send post publish write create submit share deliver push enviar mandar publicar envoyer publier
    inviare pubblicare enviar sende senden schicke schicken poste verschicke 发送 送信
""")
MESSAGES = _set("""
    email mail message sms text notification announcement reply tweet dm chat slack comment letter
    notice bulletin memo banner newsletter reminder confirmation receipt answer response alert
    update news teams whatsapp
    telegram discord nachricht mitteilung antwort mensaje correo notificacion respuesta courriel
    reponse notifica messaggio risposta mensagem resposta 邮件 消息 短信 メール メッセージ
""")
RECIPIENT_KEYS = _set("to recipient recipients cc bcc channel recipientemail receiver emailto")
TEXT_KEYS = _set("""
    body text message content subject note comment html caption description title summary betreff
    nachricht mensaje asunto cuerpo corps sujet messaggio oggetto mensagem assunto
""")
# Words of a text that says that something is done.
CLAIMS = _set("""
    back again restored cancelled canceled booked moved changed updated rescheduled paid refunded
    sent fixed resolved closed removed deleted added deployed enabled approved shipped
    been done completed confirmed finished successfully successful live ready went gone
    wurde wurden erledigt bestatigt abgeschlossen erfolgreich sido hemos listo lista completado
    confirmado ete avons termine confirme stato stata abbiamo completato confermato foi foram
    concluido gedaan klaar zrobione gotowe
""")
# As the first word of a name: the call ends a case.
CLOSING = _set("""
    close resolve complete finish finalize finalise conclude submit archive discharge
    schliesse schliessen abschliesse abschliessen beende beenden cerrar finalizar resolver
    concluir fermer cloturer terminer chiudere concludere fechar encerrar 关闭 完成
""")
# The cases that a closing call ends.
CASES = _set("""
    ticket case issue task order request incident poll account claim project deal job draft form
    report application period book register meeting thread conversation sprint milestone shipment
    batch survey session pr work workorder complaint inquiry enquiry dispute loan policy trip visit
    vorgang fall auftrag antrag caso pedido solicitud dossier demande commande pratica richiesta
    ordine chamado
""")
# Statuses that end a case, as values of STATUS_KEYS.
CLOSED = _set("""
    closed resolved done completed complete finished shipped fulfilled settled discharged paid
    cleared
    geschlossen erledigt abgeschlossen cerrado resuelto completado ferme resolu termine chiuso
    risolto completato fechado resolvido concluido
""")
STATUS_KEYS = _set("status state stage phase newstatus newstate zustand estado statut etat stato")
# Money moves.
PAYING = _set("""
    credit debit compensate
    refund pay payment charge transfer wire disburse reimburse payout withdraw deposit buy purchase
    sell erstatte erstatten ueberweise ueberweisen zahle zahlen bezahle pagar transferir reembolsar
    payer rembourser virer pagare rimborsare bonifico 支付 退款 转账
""")
# Parts of a sequence: the order in which they are added is their order.
SEQUENCES = _set("""
    slide clip layer waypoint frame chapter scene stanza line paragraph section
    bullet leg stop verse lyric step instruction keyframe rule reagent ingredient solvent
""")
LINES = _set("queue playlist timeline")  # sequences themselves: a call may also make one
ADDING_IN_ORDER = _set("add append insert enqueue queue create push anhaengen")
# Members of a set: the order in which they are added is not seen.
SETS = _set("""
    tag label member user favourite favorite attendee participant permission role guest watcher
    reviewer follower contact skill category product item like subscription subscriber student
    collaborator invitee cart
""")
# Calls that only wait or ask, which the next change needs.
WAITING = _set(
    "wait await ask confirm poll ensure warte warten frage espera attend attendi scroll hover sleep"
)
# Each call of such a verb makes something new, and two of them can change places.
MAKING = _set("""
    create add insert register invite enroll attach tag book reserve log record schedule like
    follow subscribe donate order buy purchase rent request open new make generate bookmark star
    anlegen erstellen crear creer creare criar 创建 作成
""")
# Keys under which a value is a circumstance of a call and not its object.
CIRCUMSTANCES = _set("""
    city country date day time start end from until at when amount quantity qty count number price
    cost currency language lang locale format type kind category reason status state priority mode
    unit method color colour size level severity weight height width length duration minutes seconds
    hours days nights page limit offset direction speed temperature percent version title subject
    text body message content description comment note nickname payment paymentmethod class cabin
    destination origin location place region timezone year month week role permission visibility
    enabled active force value values label tag query sql command approver reviewer sender signer
    author requester team suite env environment
""")
# Keys whose values only say how a call acts, as numbers do.
MODES = _set("""
    mode direction speed level unit side color colour size force axis angle format enabled active
    orientation intensity duration
""")
# Values that name nothing.
COMMON_VALUES = _set("""
    true false none null all any yes no on off high low medium normal default auto open closed
    active inactive pending done card cash email sms phone main master public private new old admin
    user users test english german french spanish full basic standard premium general core week day
    month year today tomorrow now left right up down center top bottom home work prod production
    staging dev
""")
# Keys of things that act, or in which a call acts: if they differ, so do the implicit things.
ACTORS = _set("""
    robot arm gripper drone vehicle car game board player session browser tab window device machine
    printer instrument pipette cart terminal shell editor document file room zone instance unit bot
    agent printerid station lane track channel turtle camera image video clip truck trailer shelf
    rack bin queue playlist
""")
# Keys of persons and things that a call is about, beside those of otap.run.objects.KEYS.
SUBJECTS = _set("""
    room zone customer client employee user username login member patient student robot player game
    project company contact payee vendor supplier product sku book song movie poll event course
    dataset database db schema model job task case claim loan contract policy mailbox group device
    recipient to email name symbol shop store host charity topic bill list campaign subject_id
    reader guest tenant property vehicle flight hotel reservation booking employeeid object window
    door lamp light input output source target selector
""")
# Keys whose values are parts of one name: the bucket of a key, the folder of a file.
CONTAINERS = _set("""
    bucket container folder directory dir database db schema repo repository owner project
    workspace drive host namespace dataset index collection account
""")
# Two calls of such tools fill different fields of one form, in any order.
FIELD_VERBS = _set("fill check uncheck tick untick select choose enter")
# Each call of such a tool acts on the state that the one before it left.
REPLAYED = _set(
    "play move press click tap type key step turn dispense aspirate pour append prepend"
)
# Calls that let something happen, which the calls before them make safe.
RELEASING = _set("""
    open unlock release start run launch activate energize energise arm execute enable ignite
    oeffne starte aktiviere abrir iniciar activar ouvrir demarrer activer aprire avviare attivare
    train dispatch hoist harvest brew spin shoot
""")
# A warning belongs before such a call.
INTERRUPTING = _set("""
    shutdown shut stop restart reboot disable block suspend terminate cut lock poweroff decommission
    format reformat flash
""")
# Calls that move the use of one thing over to another: the old thing goes afterwards.
MOVING_OVER = _set("""
    dns cname mx traffic cp rsync route reroute redirect repoint point failover cutover promote
    migrate merge replicate sync drain evacuate evict detach unmount scale restart reload redeploy
    deploy rotate
    backup snapshot export copy archive dump clone switch swap reassign transfer handover move
    restore import attach grant image quiesce pause stop
""")
# Calls that secure a new thing before the old one is given up, and calls that give it up.
SECURING = _set(
    "book reserve hold buy order rent subscribe enroll apply accept sign switch transfer"
)
GIVING_UP = _set("cancel withdraw resign unsubscribe decline quit sell return release")
# Calls that halt something, so that the next ones can work on it.
HALTING = _set("stop pause quiesce freeze halt drain suspend disable deactivate park isolate")
WORKING_ON = _set("""
    cp rsync mv tar pg_dump mysqldump replace repair clean edit remove update upgrade resize patch
    swap maintenance
""")
# Calls after which alone the next changes may begin.
GROUNDWORK = _set("""
    sterilise sterilize disinfect wash rinse prime preheat calibrate tare zero boil prepare
    initialise initialize init setup configure bootstrap craft
    preprocess tokenize normalise normalize glaze grind plough defrost thaw degas evacuate
""")
# Reasons for which money moves.
RECEIVING = _set("receive return inspect deliver ship goods invoice match cancel collect complaint")
# Calls that set something, and calls after which it holds.
CONFIGURING = _set("""
    config configuration conf setting env environment variable secret cert certificate password
    cp mv install update upgrade patch edit
""")
RELOADING = _set("restart reload rollout reboot redeploy relaunch reinitialize")
# Ranks that somebody has to hold.
RANKS = _set("owner admin administrator primary leader master root")
PROMOTING = _set("promote grant assign add set make appoint transfer elect update")
# Calls that decide by all that was done and seen before.
DECIDING = _set(
    "approve accept grant authorize authorise issue admit discharge prescribe decide award"
)
# Results that are made from the data of the moment, and the verbs that make or drop them.
DERIVED = _set("""
    cache index statement report summary dashboard thumbnail archive preview view digest forecast
    invoice sitemap manifest changelog
""")
DERIVING = _set("""
    generate build rebuild refresh invalidate purge clear render compute calculate recalculate
    export compile reindex warm
""")
# Exceptions from a rule that denies the rest, and such rules; also as values.
ALLOWING = _set("allow permit whitelist allowlist exempt accept")
DENYING = _set("drop deny block reject denyall lockdown")

# Stages of one delivery: a tool with such a word needs the product of an earlier stage.
STAGES = _set("""
    build compile package push merge tag deploy deployment upgrade rollout release flag feature
    migrate migration promote provision helm publish bump rebase apply install version
""")
# Calls that make something ready for the call that sends, pays or applies it.
PREPARING = _set("""
    clean dedupe deduplicate filter suppress exclude correct fix proofread sanitise sanitize redact
    anonymise anonymize translate fill attach sign apply import load format encrypt mask convert
    calculate reconcile match seal label prepare prime sterilise sterilize calibrate preheat
""")
# Calls whose work leaves the hands of the agent.
LEAVING = _set("""
    send submit publish dispatch ship mail post broadcast release pay charge transmit launch blast
    print deliver upload push
""")
# Verbs of a check: the objects are used or destroyed afterwards.
VERIFYING = _set("""
    verify validate check checksum sha sha1 sha256 sha512 md5 crc digest hash test status inspect
    diff compare health healthcheck probe ping smoke audit scan dryrun preview review measure
    weigh count ensure assert lint
    pruefe pruefen verificar comprobar validar verifier controllare
""")
# Tests that programs run: two of them can change places.
AUTOMATED = _set("lint test tests typecheck scan unittest pytest mypy ruff eslint ci format")
# Words of tools that take a command as text.
COMMANDING = _set("""
    remote ssh terminal console game command action act step cmd adventure telnet cli psql redis
    mongo mysql kubectl repl
""")
# Calls that put one thing after, on or into another.
STACKING = _set("""
    load unload stack unstack pile enqueue queue append prepend pack play weld dose pop couple hitch
""")
# Things that are put into a sequence, and not places.
INSERTED = _set("file image video clip track camera document")
# Things that are loaded into a memory, in any order.
LOADED = _set("""
    dataset data file model config configuration page image csv table document url plugin module
    library extension font texture asset json script settings profile
""")
# Words of statements and commands that name no object.
STATEMENT_WORDS = _set("""
    from where set select update delete insert into values and or not table alter add drop column
    count as join on order by group limit create index run apply get install true false
""")
# Words of texts that say nothing of their topic.
COMMON_WORDS = _set("""
    this that with from have been your yours their there they will would could should about into
    were what when which also more some than then them here just please dear hello thank thanks best
    regards kind send sent message email update create customer make made
""")

# Things of which a new one replaces an old one, which goes afterwards.
REPLACED = _set("""
    key secret token cert certificate credential password server instance node owner admin
    replica disk volume route deployment host vm cluster lease database table bucket index model
""")
# Keys of any object, whose values differ between objects of two kinds.
GENERIC_KEYS = RECIPIENT_KEYS | _set("""
    name id identifier key value title selector element ref email from sender
""")
# Keys of the elements of a page.
ELEMENT_KEYS = _set("selector xpath element locator css ref elementid coordinate coordinates")
# As the first words of a command, after which a setting holds for all later commands.
SETTING = _set("set config workspace")

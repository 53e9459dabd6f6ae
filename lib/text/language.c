/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Languages and their stop words: articles, pronouns, prepositions, conjunctions,
 * auxiliaries and question words, which say how a question is asked and not what it is
 * about.  Folded and stripped, as rule 7 compares them.
 */
#include "text/text_int.h"

#include <string.h>

#define ENGLISH \
	" a about above after again against all also am an and any are aren't as at be because been" \
	" before being below between both but by can can't cannot could couldn't did didn't do does" \
	" doesn't doing don't done down during each else ever few for from further get gets getting got" \
	" had hadn't has hasn't have haven't having he he'd he'll her here hers herself him himself his" \
	" how however i i'd i'll i'm i've if in into is isn't it it'd it'll its itself just let me might" \
	" more most much must my myself no nor not now of off on once only or other our ours ourselves" \
	" out over own same shall she she'd she'll should shouldn't so some such than that the their" \
	" theirs them themselves then there these they they'd they'll they're they've this those through" \
	" to too under until up upon us very was wasn't we we'd we'll we're we've were weren't what when" \
	" where whether which while who whom whose why will with within without won't would wouldn't yes" \
	" yet you you'd you'll you're you've your yours yourself yourselves eg ie etc "
#define GERMAN \
	" aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dann" \
	" das dass dein deine deinem deinen deiner dem den denn der des dich die dies diese diesem diesen" \
	" dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer" \
	" eure fur gegen gibt hab habe haben hast hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre" \
	" ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine" \
	" keinem keinen keiner konnen konnte man mein meine meinem meinen meiner mich mir mit muss nach" \
	" nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie" \
	" sind so soll sollen sondern uber um und uns unser unsere unserem unseren unter vom von vor wann" \
	" war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden weshalb" \
	" wie wieder will wir wird wo wurde wurden zu zum zur zwischen "
#define FRENCH \
	" a ai ainsi alors apres as au aucun aussi autre aux avant avec avez avoir avons c ca car ce ceci" \
	" cela celle celui ces cet cette ceux chez comme comment d dans de depuis des donc dont du elle" \
	" elles en encore entre es est et etaient etait ete etes etre eu eux fait faut fut il ils j je jusqu" \
	" l la laquelle le lequel les leur leurs lorsqu lui m ma mais me meme mes mes moi mon n ne ni non nos" \
	" notre nous on ont ou par parce pas pendant peu peut plus pour pourquoi puis puisqu qu quand que" \
	" quel quelle quelles quels qui quoi s sa sans se sera ses si soit son sont sous sur t ta te tes toi" \
	" ton tous tout toute toutes tres tu un une vers vos votre vous y "
#define SPANISH \
	" a al algo ante antes aqui asi aun aunque cada como con contra cual cuales cuando cuanto de del" \
	" desde donde dos durante e el ella ellas ellos en entre era eran eres es esa esas ese eso esos" \
	" esta estaba estan estar estas este esto estos estoy fue fueron ha habia han has hasta hay he" \
	" hemos la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros nuestra" \
	" nuestro o os otra otro para pero poco por porque pues que quien quienes se sea segun ser si sido" \
	" sin sobre solo somos son soy su sus tambien tan tanto te tengo ti tiene tienen todo todos tu tus" \
	" un una unas uno unos usted ustedes y ya yo "
#define ITALIAN \
	" a abbiamo ad agli ai al alla alle allo anche ancora avere c che chi ci cioe ciascuno come con" \
	" contro cosa cui d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello" \
	" dentro di dopo dove e ed era erano essere fa fino fra gli ha hai hanno ho i il in io l la le lei" \
	" li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nell nella nelle nello no noi non" \
	" nostra nostro o ogni per perche piu poi prima qual quale quali quando quanto quello quella quelle" \
	" quelli quest questa queste questi questo qui se sei senza si sia siamo siete solo sono sopra sotto" \
	" stato su sua sue sugli sui sul sull sulla sulle suo suoi t te ti tra tu tua tuo tutti tutto un una" \
	" uno v vi voi "
#define PORTUGUESE \
	" a ainda ao aos aquela aquele as ate cada com como contra da das de dela dele deles depois do dos" \
	" e ela elas ele eles em entre era eram essa esse esta estao estar estas estava este estes estou" \
	" eu foi foram ha isso isto ja la lhe mais mas me mesmo meu meus minha muito na nao nas nem no nos" \
	" nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quando quanto que" \
	" quem sao se seja sem ser seu seus so sobre sua suas tambem te tem ter teu tinha tua um uma umas" \
	" uns voce voces "
#define DUTCH \
	" aan al alle als altijd andere ben bent bij daar dan dat de der deze die dit doch doen door dus" \
	" een en er ge geen haar had hadden heb hebben hebt heeft hem het hier hij hoe hun ik in is ja je" \
	" jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of" \
	" om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom" \
	" wanneer want waren was wat we wel welk welke werd werden wie wij wil word worden wordt zal ze zei" \
	" zich zij zijn zo zonder zou "
#define SWEDISH \
	" alla allt an att av blev bli blir da de dem den denna deras dess dessa det detta dig din dina" \
	" ditt du eller en er ett finns fran for fore ha hade han hans har hon honom hur har i icke ingen" \
	" inom inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket ni nagon nagot nar" \
	" och om oss pa sa sadan sig sin sina sitt ska skulle som till under upp ut utan vad var vara varfor" \
	" varit vart vem vi vid vilka vilken vilket "
#define DANISH \
	" ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine" \
	" disse dit dog du efter eller en end er et for fordi fra ham han hans har havde have hende hendes" \
	" her hos hun hvad hvem hver hvilken hvis hvor hvordan hvorfor hvornar i ikke ind jeg jer jo kan" \
	" kunne man mange med meget men mig min mine mit mod naar nar ned noget nogle nu og ogsa om op os" \
	" over pa selv sig sin sine sit skal skulle som sadan thi til ud under var vi vil ville vor vaere" \
	" vaeret "
#define NORWEGIAN \
	" alle at av bare begge ble bli blir da de deg dem den denne der deres det dette din disse ditt du" \
	" eller en enn er et etter for fordi fra ha hadde han hans har hennes her hos hun hva hvem hver" \
	" hvilke hvilken hvis hvor hvordan hvorfor i ikke ingen inn ja jeg kan kunne man mange med meg meget" \
	" mellom men mer min mitt mot mye na nar ned nei noe noen og ogsa om opp oss over pa seg selv si sin" \
	" sine sitt skal skulle slik som sa til under ut uten var vart ved vi vil ville vaere vaert "
#define FINNISH \
	" ei eika eivat en et ette etta han hanen hanet he heidan ja jo joka jos jotka kanssa kuin kuinka kuka kun" \
	" koska me meidan mika miksi milloin mina minka minun missa mita mutta myos ne niin niiden nyt olen" \
	" olet oli olivat olla on ovat se sen silla sina sinun sita tai tama taman tassa te teidan tuo" \
	" vaan vai vain voi "
#define TURKISH \
	" acaba ama ancak artik bana bazi belki ben beni benim bir biz bizim bu bunu bunun cok cunku da daha" \
	" de degil diye en fakat gibi hangi hem hep her icin ile ise kadar ki kim kime kimin mi mu mi nasil" \
	" ne neden nerede nereye niye o olan olarak ona onlar onu onun sana sen seni senin siz sizin su ve" \
	" veya ya yani "
#define HUNGARIAN \
	" a abban ahhoz ahogy aki akik amely ami amikor annak arra az azok azt azzal be csak de e ebben egy" \
	" el en es ez ezek ezt fel hanem hogy hogyan hol igen is ki kell kik le lehet lesz ma majd meg mely" \
	" mert mi miert mig mikor milyen mint mit most nagy nagyon ne nekem nem nincs o ok olyan on ot pedig" \
	" s sem szamara te tehat tovabb van vagy vagyok vannak volt voltak "
#define ROMANIAN \
	" a acea aceasta acest acesta acestea acestei acestui ai al ale am ar are as asta au avea ca cand care" \
	" ce cea cei cel cele celor cine cu cum da daca dar de deci decat despre din dintre doar dupa ea ei" \
	" el ele era este eu fara fi fie fost iar ii il in intre isi la le li lor lui mai mea mei meu mi mult" \
	" ne nici noi nostru nu o ori pe pentru prin sa sau se si sunt sub te tu un una unde unei unui va voi" \
	" vom vor vostru "
#define RUSSIAN \
	" а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до" \
	" его ее если есть еще же за здесь и из или им их к как какая какие какои кем ко когда кого кому" \
	" кто куда ли мне может мои моя мы на над надо нас наш не него нее нет ни них но ну о об однако он" \
	" она они оно от очень по под после потому при про с сам свои себя со так также такои там тебя" \
	" тем то тогда того тоже только том ты у уже чего чем что чтобы эта эти это этого этои этот я "
#define GREEK \
	" αλλα αν αντι απο αυτα αυτη αυτο αυτοι αυτοσ αυτου αυτων για γιατι δε δεν εαν εγω ειμαι ειναι εισαι" \
	" εκει εκεινο εμεισ ενα ενασ ενω εσεισ εσυ εχει εχουν εχω η ηταν θα και κατα κι μασ με μετα μεταξυ" \
	" μην μια μου να ο οι ομωσ οπου οπωσ οποιοσ οποια οποιο οταν οτι ου που πριν πωσ ποια ποιο ποιοι ποιοσ" \
	" ποτε πρεπει προσ πολυ σασ σε στα στη στην στισ στο στον στουσ συ τα την τησ τι τισ το τοτε του τουσ των" \
	" υπο ωσ "
#define ARABIC \
	" ان او اي اين اذا الا التي الذي الذين الى اليه اليها انا انت انه انها بعد بعض بل بها به بين تلك تم ثم" \
	" حتي حيث حين ذلك سوف عن عند على عليه عليها غير في فيه فيها قبل قد كان كانت كل كم كما كيف لا لان لدى لقد لكن لم" \
	" لماذا لن لنا له لها ليس ما ماذا متى مع من منذ منه منها نحن نعم هذا هذه هل هم هما هنا هناك هو هي و ولا يا يكون "
#define HINDI \
	" अगर अपना अपनी अपने अब आप इन इस इसका इसके उन उनका उनके उस उसका उसके एक और कब कभी कर करना करने" \
	" कहाँ कहां का कि किस किसी की कुछ के को कोई कौन क्या क्यों गई गए गया जब जहाँ जा जिस जो तक तब तो था" \
	" थी थे दिया न नहीं ने पर फिर बहुत भी मुझे में मेरा मेरी मेरे मैं यदि यह यहाँ या ये रहा रही रहे" \
	" लिए ले वह वहाँ वाला वाले वे सकता सब साथ से हम हमारा ही हुआ हुई हुए है हैं हो होता होती होते "
#define CATALAN \
	" a al als amb aquest aquesta aquests aquell aixo com d de del dels des doncs el ella ells els em en" \
	" ens entre era eren es esta estan et ets fins fou ha han he hem hi i jo l la les li ll lo m ma meu" \
	" meva molt n ni no nosaltres o on per pero perque qual quan que qui quin quina s sa se sense ser" \
	" seu seva si sobre soc som son t tambe te teu tot tots tu un una unes uns va vosaltres "
#define INDONESIAN \
	" ada adalah akan aku anda antara apa apakah atau bagaimana bahwa bagi bisa bukan dalam dan dapat" \
	" dari dengan di dia hanya harus ia ini itu jika juga kami kamu kapan karena kata ke kepada ketika" \
	" kita lagi lebih maka mana masih mengapa mereka oleh pada para saat saja sangat saya sebagai sebuah" \
	" secara seperti siapa sudah telah tetapi tidak untuk yang "

const struct text_language text_languages[TEXT_LANG_COUNT] = {
	[TEXT_LANG_ENGLISH] = { "english", ENGLISH, true, false },
	[TEXT_LANG_GERMAN] = { "german", GERMAN, false, false },
	[TEXT_LANG_FRENCH] = { "french", FRENCH, false, true },
	[TEXT_LANG_SPANISH] = { "spanish", SPANISH, false, false },
	[TEXT_LANG_ITALIAN] = { "italian", ITALIAN, false, true },
	[TEXT_LANG_PORTUGUESE] = { "portuguese", PORTUGUESE, false, false },
	[TEXT_LANG_DUTCH] = { "dutch", DUTCH, false, false },
	[TEXT_LANG_SWEDISH] = { "swedish", SWEDISH, false, false },
	[TEXT_LANG_DANISH] = { "danish", DANISH, false, false },
	[TEXT_LANG_NORWEGIAN] = { "norwegian", NORWEGIAN, false, false },
	[TEXT_LANG_FINNISH] = { "finnish", FINNISH, false, false },
	[TEXT_LANG_TURKISH] = { "turkish", TURKISH, false, false },
	[TEXT_LANG_HUNGARIAN] = { "hungarian", HUNGARIAN, false, false },
	[TEXT_LANG_ROMANIAN] = { "romanian", ROMANIAN, false, false },
	[TEXT_LANG_RUSSIAN] = { "russian", RUSSIAN, false, false },
	[TEXT_LANG_GREEK] = { "greek", GREEK, false, false },
	[TEXT_LANG_ARABIC] = { "arabic", ARABIC, false, false },
	[TEXT_LANG_HINDI] = { "hindi", HINDI, false, false },
	[TEXT_LANG_TAMIL] = { "tamil", NULL, false, false },
	[TEXT_LANG_ARMENIAN] = { "armenian", NULL, false, false },
	[TEXT_LANG_BASQUE] = { "basque", NULL, false, false },
	[TEXT_LANG_CATALAN] = { "catalan", CATALAN, false, true },
	[TEXT_LANG_INDONESIAN] = { "indonesian", INDONESIAN, false, false },
	[TEXT_LANG_IRISH] = { "irish", NULL, false, false },
	[TEXT_LANG_LITHUANIAN] = { "lithuanian", NULL, false, false },
	[TEXT_LANG_NEPALI] = { "nepali", NULL, false, false },
	[TEXT_LANG_SERBIAN] = { "serbian", NULL, false, false },
	[TEXT_LANG_YIDDISH] = { "yiddish", NULL, false, false },
	[TEXT_LANG_PORTER] = { "porter", ENGLISH, true, false },
	[TEXT_LANG_NONE] = { "none", NULL, false, false },
};

enum text_lang
text_parse_language(const char *name)
{
	for (int i = 0; i < TEXT_LANG_COUNT; i++)
		if (strcmp(text_languages[i].name, name) == 0)
			return (enum text_lang)i;
	return TEXT_LANG_COUNT;
}

enum text_lang
text_find_script_language(uint32_t c, bool *latin)
{
	static const struct {
		uint32_t from, to;
		enum text_lang lang;
	} scripts[] = {
		{ 0x0370, 0x03ff, TEXT_LANG_GREEK }, { 0x0400, 0x052f, TEXT_LANG_RUSSIAN },
		{ 0x0531, 0x058a, TEXT_LANG_ARMENIAN }, { 0x0620, 0x06ff, TEXT_LANG_ARABIC },
		{ 0x0750, 0x077f, TEXT_LANG_ARABIC }, { 0x08a0, 0x08ff, TEXT_LANG_ARABIC },
		{ 0x0900, 0x097f, TEXT_LANG_HINDI }, { 0x0b80, 0x0bff, TEXT_LANG_TAMIL },
		{ 0x1f00, 0x1fff, TEXT_LANG_GREEK }, { 0xfb50, 0xfdff, TEXT_LANG_ARABIC },
		{ 0xfe70, 0xfefc, TEXT_LANG_ARABIC },
	};
	*latin = c < 0x0250 || (c >= 0x1e00 && c <= 0x1eff) || (c >= 0xff21 && c <= 0xff5a);
	for (size_t i = 0; !*latin && i < MEM_COUNT(scripts); i++)
		if (c >= scripts[i].from && c <= scripts[i].to)
			return scripts[i].lang;
	return TEXT_LANG_NONE;
}

/* Longer than any stop word, in bytes. */
enum { STOP_MAX = 40 };

bool
text_is_stop_word(enum text_lang lang, struct mem_str word)
{
	const char *list = text_languages[lang].stops;
	if (word.n > 2 && memcmp(word.p + word.n - 2, "'s", 2) == 0)
		word.n -= 2;
	if (list == NULL || word.n == 0 || word.n > STOP_MAX)
		return false;
	char needle[STOP_MAX + 2];
	needle[0] = ' ';
	memcpy(needle + 1, word.p, word.n);
	needle[word.n + 1] = ' ';
	return memmem(list, strlen(list), needle, word.n + 2) != NULL;
}

uint32_t
text_stop_word_mask(struct mem_str word)
{
	uint32_t mask = 0;
	for (int i = 0; i < TEXT_LANG_LATIN_COUNT; i++)
		mask |= (uint32_t)text_is_stop_word((enum text_lang)i, word) << i;
	return mask;
}

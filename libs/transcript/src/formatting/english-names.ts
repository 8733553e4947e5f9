/**
 * Names that recognisers write in small letters: first names, places, months, days and peoples. From the lexicon of compromise 14.17
 * (MIT, see NOTICE), without those that are also common words, such as mark, may, rose and turkey.
 */
export const NAMES = words(`
  english spanish british irish scottish christmas easter christian christians jewish muslim muslims islamic buddhist catholic catholics protestant europe asia africa britain antarctica david john spencer travis blake google microsoft youtube facebook wikipedia instagram
  aada aadya aalborg aaliyah aaradhya aarav aarhus aaron aasha abagail abbey abbi abbie abby abdallah abdel abdoulaye abdul abdullah abdullo abdulrahman
  abe abel abi abidjan abie abigail abraham abram abril abu abubakr abulfazl accra ada adaline adalyn adam adama adan addie addilyn addison adel adela
  adelaide adele adelene adelia adelina adeline adelynn adi adolf adolfo adolph adreanna adrian adriana adrianna adrianne adriano adrien adriena adriene
  adrienne advik adygea afghan afghanistan afghans afonso african africans agartala agatha aggie agnes aguascalientes agustin agustina ahmad ahmed
  ahmedabad ahmet aicha aida aidan aiden aileen aimar aimee aina aino ainsley aisha aishah aisling aislinn aislynn aizawl ajani ajla akira alabama
  aladdin alain alaina alan alana alanis alanna alannah alanoud alaska alastair alayah alayna albania albanian albanians albert alberta alberto albrecht
  albuquerque alden alec alecia aleisha alejandra alejandro aleksandar aleksander aleksandr aleksandra aleksei alena aleppo alesia alessandra alessandro
  alex alexa alexander alexandra alexandre alexandros alexandru alexei alexia alexis alf alfie alfonso alfred algeria algerian algerians algiers ali
  alia alice alicia alicja alina aline alisa alise alisha alison alissa alistair aliza allan allen allie allison allyson almaty alois alonso alonzo
  alphonse alphonso altai althea alton alvaro alvin alya alycia alysa alyson alyssa amahle amaia amaira amalia amanda amar amaravati amberly amelia
  amelija america american americans amie amilia amina aminata amir amit amman ammanuel ammar amos amsterdam amy ana anabel anaheim anamaria anapolis
  anas anastasia anastasija anatoli anatoliy anatoly anaya anchorage ancona ander anders andi andjela andorra andra andre andrea andreas andrei andrej
  andres andrew andrey andrzej andy ane aneta anette angela angelia angelica angelina angeline angelique angelo angie angola angolan angolans anguilla
  anika anisa anissa anita anja anjelica ankara ann anna annabel annabella annabelle annalisa annamaria anne annemarie annett annette annie annika
  annmarie anohito antarctica anthony antoine antoinette anton antonella antoni antonia antonio antony antwerp anwar anya aoi april aputsiaq aqaba arata
  archibald archie argentina argentine argentines ari aria ariana arianna arianne ariel arielle ariki arizona arjun arkansas arleen arlena arlene
  arlette arlington armaan armand armando armenia armenian armenians armin arnaud arnav arno arnold aroha aron arpita artem arthur artie artur arturo
  aruba aryan asahi asha ashanti ashdod ashgabat ashlee ashleigh ashley ashli ashlie ashly ashlyn ashraqat ashton asian asians asiya asja asmita assam
  assil astrid asuncion ataahua athena athens atlanta aubrey auckland audra audrey audri audry august augustina augustine augusto augustus aurelia
  aussie aussies austeja australia australian australians austria austrian austrians avery avi avigail awa aya ayaan ayana ayanna ayesha aygun aykhan
  aylin ayn ayse aysel azerbaijan aziz azra azuna baghdad bahamas bahia bahrain bakary bakersfield baku balazs balkaria bandar bandile bandung banele
  bangalore bangkok bangladesh bangladeshi bangladeshis baotou barbados barbara barbora barbra barcelona bari barney barranquilla barrett barry bart
  bartholomew basel bashkortostan basque basrah bavaria bayarmaa bea beatrice beatriz becca becky beijing beirut belarus belarusian belarusians belfast
  belgian belgians belgium belgrade belinay belinda belize ben bengaluru benghazi benin benita benito benjamin bennie benny benson berat bergen berlin
  bermuda bern bernadette bernadine bernard bernardo bernhard bernice bernie bert bertha bertie bertram bertrand beryl beshoi bess bessie beth bethanie
  bethany betsy bette bettie bettina betty bettye beula beulah bev beverley beverly bhopal bhubaneshwar bhutan bianca bibek bihar bilal biljana billie
  billy binita bintou birmingham bishal bismah bjorn blaine blair blanca blythe bobbi bobbie bobby bogdan boglarka bogota bolivia bolivian bolivians
  bolormaa bonaire bonita boris bosnian bosnians boston botswana boyd brad bradford bradley brady branden brandie brandon branislav brasilia bratislava
  brazil brazilian brazilians brazzaville breanna bremen brenda brendan brendon brenna brent brenton bret brett brian briana brianna brianne brice
  bridget bridgett bridgette brigid brigitte brisbane bristol brit britney brits britt brittany brittney brittni brittny bronwyn brooke bruce brunei
  bruno brussels bryan bryanna bryce brynn bryon bucharest buckinghamshire budapest bulgaria bulgarian bulgarians burgas burma bursa burt burton burundi
  buryatia busan buster butuan byron cagliari cairo caitlin caitlyn cal caleb calgary california californian californians calista callie calvin
  camayenne cambodia cambodian cambodians cambridgeshire cameron cameroon cameroonian cameroonians camila camile camilla camille camilo campeche canada
  canadian canadians canberra cancun candace candice cara caracas cardiff carey carina carissa carl carla carlene carley carlie carlo carlos carlota
  carlotta carlton carly carmel carmela carmella carmen carole carolina caroline carolyn carrie carrol carroll cary casandra casey cassandra cassidy
  cassie catania catarina caterina catherina catherine cathleen cathryn cathy catrina cayla ceara cebu cecelia cecil cecile cecilia cecily cedric
  celeste celia celina celine cesar chad chadian chadians chandra chanelle changchun changsha changzhou chantal chantelle charbel charis charissa charla
  charlena charlene charles charlette charley charlie charlotte charmaine chattogram chechnya chedeline chelsea chelsey chengdu chengzhong chennai cher
  cheri cherie cherkessia cheryl chester chet cheyenne chhattisgarh chiapas chicago chihuahua chile chilean chileans chinese chineses chittagong chloe
  chongqing chris chrissy christa christal christchurch christen christiana christiane christie christina christine christoph christophe christopher
  christos christy chrystal chuvashia ciara ciaran cierra cindi cindy clair claire clara clare clarence clarice claris clarissa claude claudette claudia
  claudine claudio claus clayton clemens clement cleo cleopatra cletus cleveland clifford clifton clint clive clotilde clyde coahuila cody colby cole
  coleen colette colima colin colleen collin colombia colombian colombians colombo colorado colton comoros conakry concepcion congolese congoleses
  connecticut connie connor conor conrad constanta constantin constanza consuelo copenhagen cora coralie cordelia cordoba corey cori corina corine
  corinna corinne cornelia cornelis cornelius corrine corsica cory courtney courtni courtny coventry craig craiova crimea cristal cristiano cristina
  cristobal croat croatia croatian croatians croats cuba cuban cubans cumbria curacao curitiba curtis cyndi cynthia cyprus cyril cyrus czech czeches
  czechia daan dadonghai daegu daejeon dagestan dahlia daina dakar dalal dalian dallas damaris damascus damia damian damien damion damon dan dana dane
  danette dani danica daniel daniela daniele daniella danielle danika danilo daniz danny daphna daphne dara darby darcey darcie darcy daren daria darin
  dario darius darla darlena darlene darnell darrel darrell darren darrin darryl daryl daugavpils dave davi davida davina dayle dayna deana deandra
  deandre deann deanna deanne deb debbie debby debora deborah debra debrah december dede deedee deena deepak dehradun deidre deirdre dejan dela delaware
  delbert delhi delia delilah della delores deloris delphine demetria demetrius dena denice denis denise denmark dennis denny denver derbyshire derek
  derrick deshawn desiree desmond detroit devan deven devin devon dewayne dewey dexter dhaka dhia diana diane dianna dianne diarmuid dieter dietmar
  dietrich dillon dimitri dimitris dina dinah dinesh dion dionne dirk dispur diya djeneba djibouti dmitri dmitry doha dolores domingo dominic dominica
  dominican dominicans dominick dominik dominique dominykas dona donald dongguan donna donnell donnie donny donovan dora doreen dorian doris dorla
  dorothea dorothy dorset dorthy dortmund doug douglas dovydas doyle dragan dresden duane dubai dublin dudley duesseldorf duncan dunkirk durango durban
  dushanbe dustin dutch dutches dwayne dwight dylan dyllan ebenezer ecrin ecuador ecuadorian ecuadorians eddie edel edgar edie edinburgh edith edmond
  edmonton edmund edna edoardo eduard eduardo edward edwardo edwin edwina eevi efrain efren egypt egyptian egyptians eileen eindhoven eisha eitan
  ekaterina ekta ela elaina elaine elana elbert eldon eleanor elen elena eleni eli eliana elias elicia elida elie elif elijah elin elina elinor eliot
  elisa elisabeth elise elisha eliska eliza elizabete elizabeth elizaveta ella ellen ellie elliot elliott ellis elly elma elmer elnora eloise elouise
  elsa elsie elton elva elvin elvina elvira elvis elwood ema emanuel emanuela emelda emely emerald emerson emery emil emile emilee emilia emiliano
  emilie emilija emilio emilis emily emina emine emirati emiratis emirhan emma emmaline emmanuel emmanuelle emmeline emmett emmie emmy england
  englishman englishmans enid enoch enrico enrique enzo eoin ergi eric erica erich erick ericka erik erika erin eritrea erma ernest ernestina ernestine
  ernesto ernie ernst errol ervin erwin eryn esma esmeralda esperanza essex esteban estela estele estella estelle estere esther estonia estonian
  estonians estrella ethan ethel ethiopia ethiopian ethiopians etienne etta eugen eugene eugenia eugenie eunice european europeans eva evan evangelina
  evangeline evelin evelina evelyn evens everett evgeny evi evie evita ewa eymen ezra fabian fabien fabio fabrice fabrizio fadi fahd faisalabad fajr
  farah farida farrah farzana fatemeh fatiha fatima fatin fatma fatoumata faye february federico felecia felicia felipe felix feng fenna ferdinand
  ferdinando fergus fernanda fernando fidel fien fiji filip filipino filipinos finland fiona fionn fletcher flora florencia florian florida floyd
  forrest fortaleza foshan fozia fran france francesca francesco francina francine francis francisca francisco franciszek francois francoise frankfurt
  frankie franklin franklyn fraser fred freda freddie freddy frederic frederick frederik fredrick fredrik freja french frenches fresno frida friday
  fridays frieda friedrich frits fritz fujian fukuyama fyodor gabe gabi gabija gabon gabreal gabriel gabriela gabriele gabrielius gabriella gabrielle
  gaby galen galway gamalat gambia gambian gambians gamila gandhinagar gangtok gansu gareth garland garnet garrett garry garth gary gavin gayle gaza
  gdansk gemma geneva genevieve genna genoa geoff geoffrey georg george georges georgette georgi georgia georgian georgians georgie georgina georgios
  georgy gerald geraldina geraldine gerard gerardo gerhard geri germaine german germans germany gerrit gerry gert gertrud gertrude ghana ghanaian
  ghanaians gia giacomo gianna gibraltar gigi gilbert gilberto gilda giles gilles gillian gina gino giorgi giorgio giorgis giovanna giovanni gisela
  gisele giselle gita giuseppe giza gladys glasgow glen glena glenda glenn glenna gloria gloucestershire glynis godfrey golda goldie gonzalo googoosh
  goran gord gordon gothenburg gottfried gracie graciela grady graham graz greece greek greeks greenland greg gregg gregor gregorio gregory grenada
  greta gretchen griselda grover guadalajara guadalupe guadeloupe guam guanajuato guangdong guangzhou guatemala guatemalan guatemalans guayaquil
  guernsey guido guilherme guillaume guillermo guizhou gujarat gujrat gunay gunel gunnar gunter gunther gus gustaf gustav gustave gustavo guyana gwen
  gwendolyn gwyneth gyorgy habib habiba haifa hailey haiti haitian haitians hal hala haley halifax halim hallie hamburg hampshire hamza hana hanah
  hangzhou hank hanna hannah hannover hanoi hans hao harbin hariet hariette harlan harley harold harri harriet harriett harriette harry haruhito haruki
  haruta haruto harvey haryana hasan hasnaa hassan hasti hatice hattie havana hawaii hayato hayden hayley hector hefei heidi heinrich heitor helen
  helena helene helga helmi helsinki hendrik henri henrietta henrik henrique henry henryk heraklion herbert herman hermann hermine hertfordshire hessa
  hester hidalgo hilary hilda hildegard hillary himari hinata hindi hindis hoda hollie homer homs honduran hondurans honduras honolulu horace horacio
  horatio hortense hosna hosniya hossein howard howie hubert hugh hugo humberto hunan hungarian hungarians hungary huseyin huseyn hussa hussain hussein
  hyacinth hydar hyderabad iain ian ibadan ibai ibrahim iceland icelandic icelandics ichika ida idaho ignacio igor ike iker ila ilene iliana ilija ilina
  illinois ilona ilse ilya imane imelda imogena imogene imphal incheon india indian indiana indianapolis indians indira indonesia indonesian indonesians
  indore ines ingrid ingushetia inji inuk inunnguaq iona ionut iowa ira iran iranian iranians iraq iraqi iraqis irati ireland irena irene irina irishman
  irishmans irkutsk irma irvin irving irwin isaac isabel isabela isabele isabell isabella isabelle isadora isaiah isaias isfahan ishaan isiah isidora
  isla islamabad islande islington ismael ismail isobel israel israeli israelis issac itai italian italians italy itanagar itsuki iva ivaana ivalu ivan
  ivana ivorian ivorians iwona izaro izmir iztapalapa jacinda jacinta jackie jacky jaclyn jacob jacquelina jacqueline jacquelyn jacques jada jaden jaime
  jaipur jaka jakarta jake jakob jakov jakub jalisco jamaica jamaican jamaicans jamal james jameson jami jamie jamison jammie jana janae jane janele
  janelle janessa janet janette janice janie janina janine janis january japan japanese japaneses jaqueline jared jarod jaroslav jarrett jarrod jarvis
  jasmin jasmina jason jasper javier javiera jayden jayne jayson jazmin jazmine jeana jeane jeanette jeanina jeanine jeanna jeanne jeannette jeannie
  jeannina jeannine jed jeddah jeff jeffery jeffrey jeffry jelena jen jena jenelle jenifer jenna jennette jenni jennie jennifer jenny jens jerald
  jeremiah jeremy jeri jermaine jerome jeronimo jerri jerry jerusalem jesica jesse jessica jessie jesus jharkhand jian jiangxi jie jil jilian jilin jill
  jillian jim jimi jimmie jimmy jinan jing joan joana joane joann joanna joanne joao joaquin jocelyn jodi jodie jody joe joel joelle joesph joey johan
  johana johann johanna johannes johannesburg johnathan johnathon johnie johnnie johnny jokubas joleen jolena jolene jon jonah jonas jonathan jonathon
  joni jonny jordanian jordanians jordi jordon jorge jose josef josefa josefina josefine joselyn joseph josephina josephine josh joshua josiah josie
  josue jovana joya joyce jozef juan juana juanita jude judeline judith judy julen jules julia julian juliana julianna julianne julie julien julienne
  juliet julieta juliette julio julissa julius july june justin justina justine kabardino kabita kabul kacey kacper kadiatou kaduna kaede kai kaia
  kaitlin kaitlyn kajus kaleigh kali kallakurichi kalle kallie kalmykia kamal kamala kamil kamila kamile kampala kanata kandahar kano kanpur kansas
  kanyakumari kaohsiung kara karachay karachi karaj karelia karen kari karim karima karin karina karissa karl karla karly karnataka karolina karyn kasey
  kaspar kassandra kassie kat katarina kate katelyn katelynn katerina katharina katharine kathem katherina katherine kathie kathleen kathrine kathryn
  kathy kati katia katie katlyn katrina katy kaunas kauri kavita kawaguchi kay kaye kayla kaylee kayleigh kazakh kazakhs kazakhstan kedah keeley keely
  keenan keir keira keisha keith kejsi kelantan keley keli kelley kelli kellie kelly kelsey kelsie kely ken kendall kendra kendrick kenna kenneth kenny
  kenton kentucky kenya kenyan kenyans kenyatta kenza kera kerala keri kermit kerri kerry keven kevin khadija khadije khakassia khaled khalid kharkiv
  khartoum khawla kheira khongordzol khulna kia kiana kiara kiera kieran kiersten kiev kiley kim kimberlee kimberley kimberli kimberly kimmernaq
  kingsley kingston kinshasa kip kira kiran kiribati kiril kirill kirk kirkuk kirollos kirsten kirstin kizzy klaipeda klaus klea kohima kolkata komi
  konrad konul kopavogur korea korean koreans kori kosice kosovo kourtney kowloon krakow kris krista kristen kristi kristian kristie kristin kristina
  kristine kristopher kristy kristyna krystal krzysztof kunming kunshan kurt kurtis kuwait kuwaiti kuwaitis kyiv kyla kyle kylee kylie kyls kyoto kyra
  kyrgyzstan lacey lacie ladona ladonna lagos lahore laia laila lakesha lamar lambert lamija lamont lana lancashire landon lanzhou laos lara larisa
  larissa larry lars lashawn laszlo latasha latifa latisha latonya latoya latvia latvian latvians laura lauren laurence laurent laurie lauryn lausanne
  laverna laverne lavinia lawrence laxmi layla lea leah leana leandra leandro leane leann leanna leanne lebanese lebaneses lebanon leda leeds leena
  leevi leia leicester leicestershire leif leigh leila leilani leipzig leja lejla lela leland len lena lennart lenny lenora lenore leola leon leona
  leonard leonardo leonel leonid leonie leonora leopold leora lesedi lesley lesli leslie lesly lesotho lester lethabo leticia letitia lettie levente
  levi lex lexie leyla lia liam lian liana lianne libbie libby liberia liberian liberians libreville libya libyan libyans lidia lidya liechtenstein
  liege liepa lila lili lilia lilian liliana lilja lillia lillian lillie lilly lima limassol lina lincolnshire linda lindsay lindsey lindsi lindsy lindy
  linus linz lionel lior lisa lisbon lisette lithuania lithuanian lithuanians liv liverpool livia liz liza lizbeth lizette lizzie lloyd logan lois
  lolita london lonnie lora loraina loraine lorelei loren lorena lorene lorenzo loretta lori lorie lorna lorraina lorraine lorri lorrie lotte lottie lou
  louella louie louis louisa louise louisiana lovelie lovro lowell luanda luann luc luca lucas lucia luciana luciano lucie lucien lucija lucile lucille
  lucinda lucknow lucy ludhiana ludovic ludvig ludwig luela luella luigi luis luisa luise luiz luka lukas luke lula lulu lulwa luna lupe lupita luther
  luuk luxembourg luz lviv lydia lyla lyle lyn lyna lynda lyndon lyndsey lyne lynette lynn lynna lynne lynnette lynsey lyon maayan mabel mable macao
  macau macaulay macedonia macedonian macedonians macie maciej macy madagascar madalyn maddie madeleine madelina madeline madelyn madge madison madonna
  madrid mads magda magdalena magdalene maggie magnus maha mahamadou mahammad maharashtra mahdi mahesh mahmoud maia maine maire maisie maite maja majd
  makassar maksim malacca malachai malachy malagasies malagasy malak malawi malaysia malaysian malaysians malcolm maldives malen mali malia malik malika
  malinda mallory malmo malta mamadou manaia manaus manchester mandakranta mandalay mandy manfred manila manipur manish manitoba manny manuel manuela
  mara maracaibo maracay maranhao marc marcel marcela marcell marcella marcelle marcello marcelo marci marcia marcie marcin marco marcos marcus marcy
  margaret margarette margarida margarita marge margery margie margo margot margret margrette marguerite mari maria mariah mariam mariamawit mariami
  marian mariana mariane marianna marianne mariano maribel maribor marie mariela mariella marija marilyn mario marion marios maris marisa marisol
  marissa maritza marius marjorie markel marko markos markus marla marlena marlene marlin marlo marlon marnie marquis marrakesh marseille marsha
  marshall marta martha marti martim martin martina martine martinique marty marvin marwa mary maryam maryan maryann marybeth maryjane maryland marylou
  mashhad masoud masoumeh massachusetts matej mateo matheus mathew mathias mathieu mathilde mathis matias matilda matilde matt matteo matthew matthias
  matti mattia mattias mattie matty matus matyas maud maude maura maureen maurice mauricio mauritania mauritius mavis maxime maximilian maximiliano
  maxina maxine maxwell maybell mayotte mayra maysoun mazie mckenzie meagan mecca medan medellin medina meg megan meghalaya meghan mehdi mehmet mei mel
  melanie melbourne melina melinda melisa melissa mellisa melokuhle melvin memphis mendoza meredith meriem merissa merjem merle meron merrill mervin
  mervyn meryem meryl messina mexican mexicans mexico mia miami micaela micah michael michaela michal micheal michel michele michelle michigan michoacan
  mick mickey micky micronesia midlands midori miguel mihai mika mikaela mikaere mike mikel mikhail mikolaj mila milagros milan mildred milena milhouse
  milica millicent millie milly milo milos milton milwaukee minato mindy minenhle minerva minh minik minnesota minnie minsk mira miral miranda miriam
  mirlande miskolc mississauga mississippi missouri mitch mitchell mitzi miyar mizoram mobina modibo moe mogadishu mohamad mohamed mohammad mohammed
  moira moises moldova mollie molly mona monaco monday mondays mongolia mongolians monica monika monique montana monte montenegro montevideo montpellier
  montreal montserrat monty mordovia morelos morgan moritz moroccan moroccans morocco moscow moses moshe mosul moussa mozambique mrignayani muhamed
  muhammad muhammed mumbai munich murad muriel muscat mustafa mustapha mya myanmar myles myra myriam myrlande myrna myron naasunnguaq nadene nadia
  nadina nadine nadya nagaland nagano nagasaki nagoya nagpur nahia nahom naima nairobi nalla namibia namibian namibians nanchang nanchong nanette
  nanjing nantong naomi naomie naples narges nashville natalia natalie natalya natasha nathalie nathan nathanael nathaniel nathy nauru navan nayarit
  neal nebraska ned nehir neil nel nela nelisa nell nellie nelson nena nepal nerissa nesreen netherlands nevada neville newcastle newfoundland nguyen
  nia niamh nicaragua nicaraguan nicaraguans nicholas nichole nicki nickolas nicky nico nicola nicolas nicole nicolette niels nigel niger nigeria
  nigerian nigerians nigerien nigeriens niharika niilo nik nika nikau nikhil niki nikita nikki niklas niko nikola nikolai nikolay nikos nila nilay niles
  nils nina ningbo nisanur nisha nita niue nivi noa noah noam noel noella noelle noemi nojus nolan nomaan noor nora norah norbert noreen norfolk norma
  norman normandy northamptonshire norway norwegian norwegians nottinghamshire nouf nour november novosibirsk nuka nunavut nur nuray nurul nyla oakland
  oaxaca octavia octavio october odelia odessa odette odisha odval ofelia ohio oier oisha oklahoma oksana ola olaf olav oleksandr olga oliver olivia
  olivier oman omani omanis omar omer omsk ondrej ontario ophelia oregon orville osaka osama oscar oskar oslo osman ossetia osvaldo oswald otis ottawa
  otto oumar oumou owen oxfordshire oyunbileg pablo padraig padua pahang paige pakistan pakistani pakistanis palau palermo palestine palestinian
  palestinians pam pamela panaji panama panamanian panamanians pandora paninnguaq paola paolo paraguay paraguayan paraguayans parana paris parvati patna
  patras patrica patrice patricia patrick patrik patti pattie patty paul paula paulette paulie paulina pauline paulo paulos pavel pavlo pedro peggy
  peking penang penelope pennsylvania perak percy perla pernambuco peru peruvian peruvians petar pete peter petr petra petro petros phil philadelphia
  philip philipp philippe philippine philippines phillip philomena phoebe phylis phyllis pia pierre pieter pietro pilsen piotr pipaluk piraeus
  pittsburgh poland polina polly portia portland porto portugal portuguese portugueses poznan prague prakash pravit prem preston pretoria priscila
  priscilla priyamvada puebla punjab puteri puyang pyongyang pyotr qatar qatari qataris qingdao qinghai quebec queensland quentin queretaro quezon
  quiana quincy quinn quinton quito rabat rabina rachael rachel rachele rachelle rachid rachida rae rafael rahul raina rainer raipur rajasthan rajesh
  rajshahi raleigh ralf ralph ramiro ramon ramona ranchi randal randall randi randolph rangpur rania raoul raphael raquel rashad rasmus raul rawalpindi
  rawiri rayan raymond rayna reanna reba rebeca rebecca rebeka rebekah recep recife reece reem reema regan reggie regina reginald regis reid reihaneh
  reims reina rena renae renata rene renee rennes reta reuben reyansh reykjavik reyna reynaldo reza rhea rhett rhiannon rhoda rhona rhonda ria ricardo
  riccardo richard richelle richie rick rickey ricki rickie ricky rico riga rikki riko riley rimas rin rina rita riya riyadh roan robbie robbin robby
  robert roberta roberto robyn rocco rochele rochelle rocio roderick rodger rodney rodolfo rodrigo roel rogelio roger roghayyeh rohan roland rolanda
  rolando rolf romania romanian romanians rome romeo ron ronald ronan ronda roni ronna ronnie ronny rory rosa rosalie rosalina rosalind rosalinda
  rosalyn rosanna rosanne rosario roscoe roseann roseanne rosella roselle rosemarie rosetta rosie roslyn ross rotterdam rowan rowena roxana roxane
  roxanna roxanne roxie roxy roy royce ruben rubin rudolf rudolph rudy rufus rupert russ russel russell russia russian russians ruth ruthie rwanda
  rwandan rwandans ryan ryou saanvi sabina sabine sabrina sacramento sade sadie saeed sahar saida sakeena sakineh sakura salem salik sallie sally salma
  salome salvatore salzburg sam samantha sami samir samira samkelo sammie sammy samoa samoan samoans samuel sanaa sandeep sandra sandro sanjay santino
  sapporo saqib sara sarah sarajevo sarawak sarina sasha saskatchewan satoshi saturday saturdays saudi saudis saul savanna savannah saxony scarlett scot
  scotland scott scottie scottish scottishes scotty seamus sean seattle sebastian sebastien sekou selangor selena selene selim selina selma senegal
  senegalese senegaleses seoul sepp september serbia serbian serbians serena serge sergei sergey sergio serife setayesh seth sevda seville sevinj
  seychelles seymour shahd shahid shaikha shaim shaimaa shakira shana shanaya shanda shane shanghai shania shanna shannon shanon shantou shaquille shari
  sharlene sharon sharron sharyn shaun shauna shawn shawna shay shayla shayma shayna shayne shea sheena sheffield sheila shelby sheldon shelia shelley
  shelton shenyang shenzhen sheri sheridan sherifa sherman sherri sherrie sherry sheryl shijiazhuang shillong shiloh shimla shira shirley shirli shirly
  shiyan shlomo shona shristi shyla siberia sichuan sicily sid siddhartha sidney sigmund sikkim silas sillin silvia silvio simon simona simone sinaloa
  sindy singapore singaporean singaporeans siobhan sita siyabonga skopje skye slobodan slovak slovakia slovaks slovenia snezana sobia sofia sofie sofija
  solomon somalia somalian somalians somayyeh somerset sondra sonia sonja sonora sonya sophia sophie soren souleymane souta soweto spain spaniard
  spaniards stacey staci stacie stacy staffordshire stan stanislav stanislaw stanley starla stefan stefanie stefano stefanos stela stella stephan
  stephane stephanie stephen steve steven stevie stewart stockholm strasbourg stu stuart stuttgart sudan sudanese sudaneses suffolk suha sumayah sumit
  sunday sundays sunita surabaya suraj suresh suriname surrey susan susana susane susanna susannah susanne susi susie sussex suzan suzana suzane suzanna
  suzanne suzette suzhou suzie suzy sven svend swaziland swede sweden swedes swiss swisses switzerland sybil syd syed sylhet sylvester sylvia sylvie
  syria syrian syrians szymon tabasco tabatha tabitha tabriz tadgh taha taian taichi taichung taika tainan taipei taiwan taiwanese taiwaneses taiyuan
  tajikistan tala talia talitha tallinn tamar tamara tamaulipas tamera tami tamika tammi tammie tammy tampere tamra tangier tangshan tania tanika
  tanisha tanner tanya tanzania tara tarana tareq tartu taryn tasha tashkent tasmania tatarstan tatiana tatsuki tawana tbilisi ted tegan tegucigalpa
  tehran telangana tennessee teodora terence teresa tereza teri terrance terrell terrence terri terrie terry tess tessa tessie texan texans texas thad
  thaddeus thai thailand thais thalia thandolwethu thea thelma theo theodor theodora theodore theresa therese thessaloniki thiago thom thomas thomasina
  thursday thursdays tia tiana tianjin tianna tianshui tiara tiffany tijuana tilburg tim timisoara timmy timothy tina tingting tirana tisha titus
  tlaxcala tobias toby tod todd togo tokelau tokyo tom tomas tomasz tommaso tommie tommy tomoharu tomsk tonga toni tonia tony tonya tora toronto toulon
  toulouse tracey traci tracie tracy trent trenton trevor trey tricia trieste trina trinidadian trinidadians tripoli tripura trish trisha trista tristan
  trondheim troy trudy truman tuesday tuesdays tui tula tulsa tunar tunis tunisia tunisian tunisians turin turkmen turkmenistan turkmens turku tuscany
  tuva tuvalu tyler tyra tyrone tyson udmurtia uganda ugandan ugandans ughur ugne ukraine ukrainian ukrainians ulrich ulrik ulysses umberto unax ursula
  urte uruguay urumqi usha usman ussr utah utrecht uttarakhand uxue uzbekistan valencia valentin valentina valentine valeria valerie valery vance
  vancouver vanesa vanessa vanuatu varna vasily vaughn veda velma venezuela venezuelan venezuelans venice vera veracruz vermont verna vernice vernon
  verona veronica versailles vesna vic vicente vicki vickie vicky victor vienna vietnam vietnamese vietnameses vihaan vikky viktor viktoria viktorie
  viktorija vilnius vilte vince vincent vincenzo violeta virgil vivaan vivek vivian viviana vivien vivienne vlad vladimir vladislav vladivostok vojtech
  volgograd volodymyr vusala wakana wales wallace walt walter wanda warsaw warwickshire washington waylon wayne wednesday wednesdays wei wellington
  welsh welshes wendell wendi wendy werner wes wesley weston wexford whitney whitni whitny wichita wicklow widelene wila wilbert wilbur wilfred wilfredo
  wilfrid wilfried wilhelm wilhelmina willa willard william willie willis wilma windhoek windsor winfried winifred winnie winnifred winnipeg winona
  winslow winston winterthur wisconsin wojciech wolfgang woodrow wout wouter wroclaw wuhan wuxi wuzhou wyatt wyoming xavier xhoel xiamen xian xiaomei
  xiaoyan ximena xinyang xinyi yael yagmur yahli yakutia yan yangon yanis yann yannick yarin yaroslav yasmin yasmine yassin yassine yekaterinburg yelena
  yemen yerevan yesenia yevgeni yevgeny ying yokohama yolanda yonas yonatan yonathan yong yorkshire yosef yousouf youssef yucatan yuen yuina yukon yuna
  yunfu yuri yuriy yury yusif yusuf yuuma yuval yvette yvona yvone yvonna yvonne zac zacatecas zach zachariah zachary zachery zack zackary zada zagreb
  zahid zahra zainab zakaria zambia zambian zambians zan zane zanzibar zara zehra zeinab zelda zelma zena zeynab zeynep zhangzhou zhengzhou zhongshan
  zibo zimbabwe zimbabwean zimbabweans zineb zoe zoey zofia zola zora zoran zsofia zurich
`);

/** Names of several words, the words joined by underscores. */
export const LONG_NAMES = words(`
  abu_dhabi addis_ababa al_basrah_al_qadimah al_mawsil_al_jadidah andhra_pradesh antigua_and_barbuda arunachal_pradesh baja_california banja_luka
  bayan_nur belo_horizonte bosnia_and_herzegovina bouvet_island british_columbia british_virgin_islands buenos_aires burkina_faso cape_town cape_verde
  cayman_islands central_african_republic chiang_mai christmas_island cocos_islands congo_brazzaville cook_islands costa_rica cote_de_ivoire
  czech_republic dar_es_salaam dominican_republic dr_congo east_timor el_paso el_salvador equatorial_guinea falkland_islands faroe_islands fort_worth
  french_guiana french_polynesia guinea_bissau himachal_pradesh ho_chi_minh hong_kong isle_of_man ivory_coast keeling_islands kuala_lumpur
  la_paz la_plata le_mans los_angeles madhya_pradesh mari_el marshall_islands minas_gerais new_brunswick new_delhi new_hampshire new_jersey
  new_mexico new_orleans new_taipei new_york new_york_state new_zealand newfoundland_and_labrador norfolk_island north_carolina north_dakota north_korea
  north_yorkshire northern_mariana_islands nova_scotia nuevo_leon papua_new_guinea petah_tikva phnom_penh pitcairn_islands port_au_prince port_elizabeth
  port_said prince_edward_island puerto_rican puerto_ricans puerto_rico quintana_roo republic_of_ireland rhode_island rio_de_janeiro saint_helena
  saint_louis saint_lucia saint_martin saint_petersburg salt_lake_city san_antonio san_diego san_francisco san_jose san_juan san_luis_potosi san_marino
  san_pedro san_salvador santa_ana santa_catarina santa_fe santa_marta santo_domingo sao_paulo saudi_arabia sierra_leone sint_maarten solomon_islands
  south_africa south_carolina south_dakota south_korea south_sudan sri_lanka staten_island tamil_nadu tel_aviv the_hague timor_leste trinidad_and_tobago
  trinidad_tobago turks_and_caicos_islands ulan_bator united_arab_emirates united_kingdom united_states united_states_of_america us_virgin_islands
  uttar_pradesh vatican_city wallis_and_futuna washington_dc west_bengal west_virginia
`);

/** Last names, many of which are also common words: names only behind a first name or a title. */
export const LAST_NAMES = words(`
  abbas acosta adams adler agarwal aguilar akhtar aleksejev aliyev almeida alvarez alves andersen anderson andersson andov andreassen andrejev andrews
  angelov angelova ansari araujo araya armstrong arslan aslan atchison atkinson ayala aydin babic bach baez bahk bahng bailey bakker baldwin bandara
  bandyopadhyay banik barbieri barbosa barnes barnier bartlett barua bashir bates bauer becker beckham beethoven begu bektashi bengtsson benitez bennett
  berger bergman bergmann berisha bernasconi berndsen bhak bhang bhoumik bhowmik bhuiyan bianchi bishwas blanco blazevic blondal bogdanov bondarenko
  bonik boruya bosu bouchard boyko bozic bozinov brankov briem brooks browne bryant buchanan burke byrne bytyqi caceres calderon campbell cardoso
  cardozo carlsson carr carter caruso carvalho castillo castro cavadini ceban cebotari celik cengic cereghetti cerna cerny chakma chakraborty chan chand
  chang chapman chatterjee chattopadhyay chaudhry chavez che chen cheon cheong cheung chiu choi chong chopra choudhury choung chow chowdhury choy
  christensen christiansen chung chwe ciobanu clark clarke cohen coleman collins conti contreras cooke cooper corbyn correa correia costa cox crawford
  crivelli cruz cunningham dahl damcevski daniels danielsen dankula datta davidov davidson davies davis debnath delgado delic demir demirovic dervishi
  devi dewan dias diaz dickinson dimitrov dimitrova dissanayake dixon djurhuus dogan doherty dominguez donev dordevic dotto driscoll duarte dubois
  dumitru dunn durand duric dutta dvorak dvorakova eder edison edwards einstein eriksen eriksson escobar espinoza esposito estrada evans faber farrell
  ferhatovic fernandes fernandez ferrara ferrari ferreira filipov filipovic fischer fisher fitzgerald fjeldsted fleming flores fontana fortin fournier
  fowler freeman friedman fuchs fuentes fujita fuller gagne gagnon galeano gallagher galli gallo gamage gandhi gao garcia gardner garza gashi gauthier
  georgiev georgieva gheorghe gibson gil gimenez giordano gjonaj gjoni goldberg goldstein golubev gomes gomez goncalves gonzales gonzalez goode goodman
  gorbachev grayling greene grgic griffith griffiths gruber guerra guerrero gunnarsson guo gustafsson gutierrez guzman gwon hadzic hagen halvorsen
  hamalainen hansen hansson haque harding harper harris hart hasani hasanov hasanovic hashimoto haugen haung hawkins hayashi hayes heikkila heikkinen
  heinonen hemingway henderson henriksen hernandez herrera hess higgins hitchcock hjaltalin hoang hodzic hofer hoffman hoffmann hofmann hojgaard hok
  holmes holt hopkins horak horakova horvat howe hoxha hristov hristova hu huaman huang huber hughes huynh ibrahimovic iglesias ikeda iliev ilieva inoue
  ionescu ishikawa ito ivanou ivanov ivanova jackson jacobs jacobsen jakobsson jankovic jansen janssen janssens jansson jarvinen jenkins jennings jensen
  jhang jimenez joensen johannesen johannessen johansen johansson johnsen johnson johnston jones jonsson jorgensen joung jovanovic jung juric kahn
  kalloe kaminski kane kaplan kapoor karjalainen karlsen karlsson kastrati kato kaur kaya kayser kazlov keller kennedy khan kieffer kikuchi kilic kimura
  kinnunen klein kluivert knezevic kobayashi koch korhonen koskinen kovac kovacevic kovacic kovacs koval kovalchuk kovalenko kowalczyk kowalski kozlov
  kramer krasniqi kraus krause kravchenko kremer krishna kristensen kristiansen kryeziu kucera kucerova kumar kumara kuznetsov kvaran kwok kwon laine
  laitinen lammy lang larsen larsson lau lavoie lawson lebedev lefebvre lefevre lehmann lehtinen lehtonen leitner leka lekaj lenin leroy lewis li
  lincoln lindberg lindholm lindstrom liu liyanage lombardi lopes lopez lovric lowe lukic lund lungu luo ly lynch madrigal madsen maeda magnusson maier
  majerus makarov makela makinen mamani mammadov mancini mann mariani maric marin marino markovic marques marroquin martinez martins matei matic
  matsumoto matthews mayer mayr mccarthy mclaughlin mclean mehmedovic mehmeti meier meijer mejia melnyk melo mendes mendez mercier messi messier meyer
  meyers micrachi mihhailov mikkelsen miller milosevic mohan molina moller monroe montgomery moore mora morales moreau moreira moreno moretti mori morin
  morina morozov morris morrison mortensen morton moser moss mozart mulder muller munoz munteanu murati muratovic murphy murray mussolini myers nagy
  nakajima nakamura nakashima narayan nash navarro neilson nemcova nemec nichols nicholson nielsen niemi nieminen nikolic nikolov nikolova nilsen
  nilsson nixon norodahl norris novak novakova novikov novotna novotny nowak nunes nunez nyman obama obrien oconnor ogawa oliveira oliynyk olofsson
  olsen olson olsson oneill orellana ortega ortiz orwell osborne owens ozdemir ozturk pahk pahng pak papadopoulos parker patel patterson pavic pavlov
  pavlovic pearson pedersen peeters pena pereira perera peretz perez peric perkins persson peters petersen peterson petrov petrova petrovic pettersen
  pettersson phak pham phan phang phillips picasso pichler piero pinas pinto polishchuk popescu popov popovic portillo poulsen powell prasad prifti
  prochazka prochazkova putin quispe radic radu ramirez ramos rantanen rasmussen ravelli reagan rees reis reiter reuter reyes reynolds ribeiro ricci
  richards richardson ries rivas rivera rizzo roberts robertson robinson rocha rodrigues rodriguez rogers rojas romano romero roosevelt rosenberg rossi
  rotari roth roux rowe rowling rubio ruiz russo rusu ryang ryoo ryu saarinen sahin saito sakamoto salas salihovic salminen salo salonen sanchez
  sandberg sanders santana sante santos sanz saric sasaki sato saunders savic scheving schiltz schmid schmidt schmit schmitt schmitz schneider schroeder
  schubert schulz schwarz segura seinfeld semjonov semyonov seoh sepulveda serrano shala sharma shehu shevchenko shevchuk shimizu silva simmons simonsen
  sinatra sinclair singh sirbu smirnov smit smith smyth sokolov solovyov sorensen sosa soto soung sousa stalin starmer steele stein steiner stephens
  stevens stevenson stoica stojanovic stoyanov stoyanova suarez subotic sullivan suzuki svensson svoboda svobodova szabo tahirovic takahashi tanaka tate
  tavares teixeira thatcher thill thompson thomsen thomson thorarensen thorlacius tian tjin tkachenko todorov todorova tolstoy tomic torres toth tran
  tremblay tryniski tsui tuominen turcan turner turunen valenzuela valverde vargas vasilyev vasquez vassiljev vazquez velasquez vesela vesely vidal
  vidovic villalba villalobos vinogradov virtanen visser vivaldi vogt volkov vorobyov vukovic waage wagner walker walsh walters walton watanabe watson
  webb weber webster weiss welter wilkinson williams williamson wilson wimmer winkler wisniewski wojcik wolff wong wright wu xiao xu yamada yamaguchi
  yamamoto yamasaki yamashita yamazaki yang yeun yeung yi yildirim yildiz yilmaz yokoyama yoshida yun zakharov zaytsev zhang zhao zhou zhu zimmermann
`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
